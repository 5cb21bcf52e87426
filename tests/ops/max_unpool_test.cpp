#include "ir/ops/max_unpool.hpp"

#include <gtest/gtest.h>

#include "ir/ops/pool.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/indices.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::max_unpool_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::MaxUnpool;
using testing::check_op;
using testing::Index;
using testing::random_tensor;

/// Indices from both ends of the range, many of them equal.
Tensor indices_for(const Shape& x, std::int64_t positions) {
  Tensor indices({DType::i64, x});
  std::int64_t k = 0;
  for (std::int64_t& i : indices.as<std::int64_t>()) {
    i = k * 7919 % positions - (k % 3 == 0 ? positions : 0);
    ++k;
  }
  return indices;
}

class MaxUnpoolOf : public ::testing::TestWithParam<DType> {};

TEST_P(MaxUnpoolOf, PutsTheLastWhereItBelongs) {
  struct Case {
    Shape x;
    std::vector<std::int64_t> inferred, output;
  };
  const Case cases[] = {{{1, 1, 4}, {8}, {}},
                        {{2, 3, 5, 4}, {9, 8}, {}},
                        {{2, 3, 5, 4}, {9, 8}, {11, 8}},
                        {{1, 2, 3, 2, 3}, {5, 4, 6}, {5, 6, 7}},
                        {{2, 2, 50}, {3}, {5}},
                        {{0, 2, 3}, {5}, {}},
                        {{2, 3, 0}, {4}, {5}},
                        {{1, 1, 1}, {1}, {1}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(ir::cat(c.x));
    const MaxUnpool op{.inferred_shape = c.inferred, .output_shape = c.output};
    const Shape indexed = op.indexed(c.x);
    const Tensor x = random_tensor({GetParam(), c.x}, 3), indices = indices_for(c.x, indexed.elements());
    check_op(op, {x, indices});
    // And that by the formula, on the truth.
    ref_cpu::CpuExecutor cpu;
    const Tensor wide = ir::convert(x, DType::f64), y = ir::run_op(cpu, op, {wide, indices}).front();
    std::vector<double> expected(static_cast<std::size_t>(y.elements()), 0);
    for (std::size_t i = 0; i < wide.as<double>().size(); ++i) {
      const std::int64_t given = indices.as<std::int64_t>()[i], count = indexed.elements();
      testing::for_each_index(indexed, [&](const Index& at, std::size_t position) {
        if (static_cast<std::int64_t>(position) == (given + count) % count)
          expected[static_cast<std::size_t>(testing::position_of(at, y.shape()))] = wide.as<double>()[i];
      });
    }
    EXPECT_TRUE(std::ranges::equal(y.as<double>(), expected));
  }
}

INSTANTIATE_TEST_SUITE_P(, MaxUnpoolOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(MaxUnpool, UndoesAMaxPool) {
  const Tensor x = random_tensor({DType::f32, {2, 3, 8, 6}}, 1);
  ref_cpu::CpuExecutor cpu;
  const auto pooled =
      ir::run_op(cpu, ir::ops::Pool{.kernel_shape = {2, 3}, .strides = {2, 3}, .with_indices = true}, {x});
  const Tensor y = ir::run_op(cpu, MaxUnpool{.inferred_shape = {8, 6}}, pooled).front();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.as<float>().size(); ++i) {
    const float v = y.as<float>()[i];
    EXPECT_TRUE(v == 0 || v == x.as<float>()[i]) << i;
    kept += v != 0;
  }
  EXPECT_EQ(kept, 2u * 3 * 4 * 2);
  check_op(MaxUnpool{.inferred_shape = {8, 6}}, pooled);
}

TEST(MaxUnpool, AnIndexOutsideEndsTheRun) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {1, 2});
  const MaxUnpool op{.inferred_shape = {4}, .output_shape = {6}};
  ref_cpu::CpuExecutor cpu;
  for (const std::int64_t wrong : {std::int64_t{4}, std::int64_t{-5}, std::int64_t{1} << 33}) {
    const std::vector<Tensor> in = {x, Tensor::of<std::int64_t>({1, 1, 2}, {0, wrong})};
    EXPECT_NE(tests::message_of([&] { ir::run_op(cpu, op, in); }).find(std::to_string(wrong)), std::string::npos);
    if (testing::gpu().executor == nullptr) continue;
    EXPECT_NE(tests::message_of([&] { ir::run_op(*testing::gpu().executor, op, in); }).find(std::to_string(wrong)),
              std::string::npos);
  }
}

TEST(MaxUnpool, HasMoreWorkgroupsThanOneDimensionHolds) {
  const Shape shape{1, 1, 65536 * 128 + 3};
  check_op(MaxUnpool{.inferred_shape = {shape[2]}},
           {random_tensor({DType::f16, shape}, 1), indices_for(shape, shape[2])});
}

}  // namespace
}  // namespace plumb::max_unpool_test
