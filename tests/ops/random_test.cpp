// Random numbers by a counter, against the numbers of the contract.
#include "ir/ops/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/convert.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::random_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Random;
using Kind = ir::ops::RandomDistribution;

constexpr DType every_real[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
constexpr DType every_integer[] = {DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32, DType::i64};

std::vector<double> numbers(const Tensor& x) {
  const Tensor wide = ir::convert(x, DType::f64);
  return {wide.as<double>().begin(), wide.as<double>().end()};
}

/// By hand, on both executors.
void check(const Random& op, const Tensor& y, const std::vector<Tensor>& offset = {}) {
  testing::check_cpu(op, offset, {y});
  testing::check_gpu(op, offset, {y});
}

/// Equal bits on both executors, and what the definition says.
void check_bytes(const Random& op) {
  ref_cpu::CpuExecutor cpu;
  testing::check_op(op, {});
  testing::check_bytes(op, {}, ir::run_op(cpu, op, {}).front());
}

Random drawn(Kind kind, DType dtype, std::vector<std::int64_t> shape = {4}) {
  return {.shape = std::move(shape), .dtype = dtype, .distribution = kind, .seed = 1};
}

/// ops.md K.1.
TEST(Random, FirstWordsOfASeed) {
  const std::vector<std::uint32_t> words = {0xe3e80670, 0xe50a0ebc, 0x95f222c0, 0xb615aa27,
                                            0xac08141b, 0xdfc5ccbe, 0x79c07a47, 0xa7f66093};
  check(drawn(Kind::bits, DType::u32, {2, 4}), Tensor::of<std::uint32_t>({2, 4}, words));
  for (const std::int64_t n : {1, 2, 3, 5, 7})
    check(drawn(Kind::bits, DType::u32, {n}),
          Tensor::of<std::uint32_t>({n}, std::vector(words.begin(), words.begin() + n)));
  Random negative = drawn(Kind::bits, DType::u32);
  negative.seed = -1;
  check(negative, Tensor::of<std::uint32_t>({4}, {0x72a47709, 0x15474739, 0x9f41b01f, 0x22799a5a}));
  check(drawn(Kind::bits, DType::u32, {0}), Tensor({DType::u32, {0}}));
}

/// ops.md B.1 has the block of counter (0, 0, 5, 2).
TEST(Random, StreamsAndOffsets) {
  Random op = drawn(Kind::bits, DType::u32);
  op.stream = 5;
  op.has_offset = true;
  check(op, Tensor::of<std::uint32_t>({4}, {0xa678861e, 0x8f8c45fb, 0x0cb0f6ad, 0xcea75f05}),
        {Tensor::of<std::uint32_t>({}, {2})});
  op = drawn(Kind::uniform, DType::f32, {1001});
  op.has_offset = true;
  testing::check_op(op, {Tensor::of<std::uint32_t>({}, {0xFFFFFFFFu})});
}

TEST(Random, UniformByHand) {
  check(drawn(Kind::uniform, DType::f32),
        Tensor::of<float>({4}, {0xe3e806p-24f, 0xe50a0ep-24f, 0x95f222p-24f, 0xb615aap-24f}));
  ref_cpu::CpuExecutor cpu;
  const auto first = [&](DType dtype) { return numbers(ir::run_op(cpu, drawn(Kind::uniform, dtype), {})[0]); };
  EXPECT_EQ(first(DType::f16), (std::vector<double>{0.89013671875, 0.89453125, 0.58544921875, 0.7109375}));
  EXPECT_EQ(first(DType::bf16), (std::vector<double>{0.88671875, 0.89453125, 0.58203125, 0.7109375}));
  EXPECT_EQ(first(DType::f64), first(DType::f32));  // no finer grain
}

TEST(Random, EqualBitsOfEveryDtype) {
  for (const DType dtype : every_real) {
    Random op = drawn(Kind::uniform, dtype, {3, 4099});
    check_bytes(op);
    op.low = -1.7;
    op.high = 0.3;
    op.stream = 4294967295;
    check_bytes(op);
  }
  for (const DType dtype : every_integer) {
    Random op = drawn(Kind::uniform_int, dtype, {3, 1021});
    op.low = -3;
    op.high = 100;
    check_bytes(op);
    op = drawn(Kind::bernoulli, dtype, {515});
    check_bytes(op);
  }
  for (const DType dtype : {DType::boolean, DType::f16, DType::bf16, DType::f32, DType::f64}) {
    Random op = drawn(Kind::bernoulli, dtype, {515});
    op.probability = 0.37;
    check_bytes(op);
  }
  Random wide = drawn(Kind::uniform_int, DType::i64, {1021});
  wide.low = -4e9;
  wide.high = wide.low + 0xFFFFFFFFu;
  check_bytes(wide);
}

/// A number may round up to the end of its interval, which is not part of it.
TEST(Random, UniformStaysBelowItsEnd) {
  ref_cpu::CpuExecutor cpu;
  for (const DType dtype : every_real)
    for (const auto& [low, high] : {std::pair{0.0, 1.0}, {0.9, 1.0}, {-1.0, 0.0}, {1000.0, 1001.0}, {2.0, 2.0}}) {
      Random op = drawn(Kind::uniform, dtype, {20000});
      op.low = low;
      op.high = high;
      check_bytes(op);
      const double end = op.real(high);
      for (const double y : numbers(ir::run_op(cpu, op, {}).front()))
        ASSERT_TRUE(low == high ? y == high : y < end) << dtype << ' ' << low << ' ' << high << ' ' << y;
    }
}

TEST(Random, IntegersAndCoinsByHand) {
  Random op = drawn(Kind::uniform_int, DType::i32);
  op.low = 0;
  op.high = 10;
  check(op, Tensor::of<std::int32_t>({4}, {8, 8, 5, 7}));
  op.low = -5;
  op.high = 5;
  check(op, Tensor::of<std::int32_t>({4}, {3, 3, 0, 2}));
  for (const auto& [probability, y] : {std::pair{0.5, 0}, {0.9, 1}, {0.0, 0}, {1.0, 1}}) {
    Random coins = drawn(Kind::bernoulli, DType::i8);
    coins.probability = probability;
    const auto all = static_cast<std::int8_t>(y);
    check(coins, Tensor::of<std::int8_t>({4}, {all, all, all, all}));
  }
}

/// ops.md K.1.
TEST(Random, NormalByHand) {
  Random op = drawn(Kind::normal, DType::f32);
  check(op, Tensor::of<float>({4}, {0.380400598f, -0.296277940f, -0.249233469f, -1.003837214f}));
  op.mean = op.scale = 1000;
  ref_cpu::CpuExecutor cpu;
  EXPECT_NEAR(ir::run_op(cpu, op, {}).front().as<float>()[0], 1380.4006, 0.45e-3);
}

TEST(Random, NormalOfEveryDtype) {
  for (const DType dtype : every_real) {
    Random op = drawn(Kind::normal, dtype, {7, 3001});
    testing::check_op(op, {});
    op.mean = -2.5;
    op.scale = 0.3;
    testing::check_op(op, {});
    op.mean = op.scale = 1000;
    testing::check_op(op, {});
    op.mean = 3;
    op.scale = 0;
    testing::check_op(op, {});
  }
  Random tiny = drawn(Kind::normal, DType::f32, {101});
  tiny.scale = 1e-39;
  testing::check_op(tiny, {}, testing::Data::ill_conditioned);
}

TEST(Random, MomentsAreThoseOfTheDistribution) {
  ref_cpu::CpuExecutor cpu;
  Random op = drawn(Kind::normal, DType::f64, {1 << 16});
  op.mean = 3;
  op.scale = 2;
  double sum = 0, squares = 0;
  for (const double y : numbers(ir::run_op(cpu, op, {}).front())) {
    sum += y;
    squares += (y - 3) * (y - 3);
  }
  EXPECT_NEAR(sum / 65536, 3, 5 * 2 / 256.0);
  EXPECT_NEAR(squares / 65536, 4, 5 * 4 * std::sqrt(2) / 256);
}

TEST(Random, ThreadsChangeNoBit) {
  const Random op = drawn(Kind::normal, DType::f32, {100003});
  std::vector<Tensor> made;
  for (const int threads : {1, 2, 7, 16}) {
    ref_cpu::CpuExecutor cpu({.threads = threads});
    made.push_back(ir::run_op(cpu, op, {}).front());
    EXPECT_TRUE(std::ranges::equal(made.front().bytes(), made.back().bytes())) << threads;
  }
}

TEST(Random, Refuses) {
  const auto refused = [](const Random& op, const std::string& why) {
    const std::string said = tests::message_of([&] { ir::infer(op, {}); });
    EXPECT_NE(said.find(why), std::string::npos) << said;
  };
  refused(drawn(Kind::bits, DType::i32), "(C1)");
  refused(drawn(Kind::uniform, DType::i32), "(C2)");
  refused({.shape = {1}, .low = 2, .high = 1}, "(C2)");
  refused({.shape = {1}, .distribution = Kind::normal, .scale = -1}, "(C2)");
  refused(drawn(Kind::uniform_int, DType::f32), "(C3)");
  refused({.shape = {1}, .dtype = DType::i32, .distribution = Kind::uniform_int, .low = 0, .high = 1.5}, "(C3)");
  refused({.shape = {1}, .dtype = DType::i32, .distribution = Kind::uniform_int, .low = 1, .high = 1}, "(C3)");
  refused({.shape = {1}, .dtype = DType::i64, .distribution = Kind::uniform_int, .low = 0, .high = 0x1p32}, "(C3)");
  refused({.shape = {1}, .distribution = Kind::bernoulli, .probability = 1.5}, "(C4)");
  refused(drawn(Kind::bernoulli, DType::c64), "(C4)");
  refused({.shape = {1}, .stream = -1}, "(C5)");
  refused({.shape = {1}, .stream = std::int64_t{1} << 32}, "(C5)");
}

}  // namespace
}  // namespace plumb::random_test
