#include "ir/ops/reverse_sequence.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::reverse_sequence_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::ReverseSequence;

/// Element by element, at random lengths, both ends among them.
void check(const ReverseSequence& op, const ir::TensorType& type, DType index) {
  const std::size_t time = type.shape.axis(op.time_axis), batch = type.shape.axis(op.batch_axis);
  const std::int64_t longest = type.shape[time];
  Tensor lengths({index, {type.shape[batch]}});
  ir::visit_index(index, [&]<class T>(T) {
    for (std::size_t b = 0; b < lengths.as<T>().size(); ++b)
      lengths.as<T>()[b] = static_cast<T>(b == 0 ? longest : static_cast<std::int64_t>(b * b * 7) % (longest + 1));
  });
  const Tensor x = tests::noise(type);
  Tensor y(type);
  SCOPED_TRACE(ir::cat(type, " batch ", op.batch_axis, " time ", op.time_axis));
  const std::size_t width = ir::info(type.dtype).bytes;
  const auto strides = type.shape.strides();
  for (std::int64_t k = 0; k < x.elements(); ++k) {
    const std::int64_t t = k / strides[time] % longest, b = k / strides[batch] % type.shape[batch];
    const auto i = static_cast<std::size_t>(b);
    const std::int64_t length = index == DType::i32 ? lengths.as<std::int32_t>()[i] : lengths.as<std::int64_t>()[i];
    const std::int64_t from = t < length ? k + (length - 1 - t - t) * strides[time] : k;
    std::memcpy(y.bytes().data() + static_cast<std::size_t>(k) * width,
                x.bytes().data() + static_cast<std::size_t>(from) * width, width);
  }
  testing::check_cpu(op, {x, lengths}, {y});
  testing::check_gpu(op, {x, lengths}, {y});
}

TEST(ReverseSequence, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    for (const DType index : {DType::i32, DType::i64}) check({1, 0}, {dtype, {7, 5, 3}}, index);
}

TEST(ReverseSequence, AxesAndShapes) {
  check({0, 1}, {DType::f32, {5, 17}}, DType::i32);
  check({1, 0}, {DType::f32, {17, 5}}, DType::i64);
  check({-1, 0}, {DType::f16, {11, 3, 5}}, DType::i64);
  check({0, -2}, {DType::f32, {5, 3, 13, 8}}, DType::i32);
  check({0, 1}, {DType::u8, {3, 7, 64}}, DType::i32);
  check({1, 0}, {DType::f32, {1, 1}}, DType::i64);
  check({0, 1}, {DType::f32, {0, 4}}, DType::i64);
  check({6, 2}, {DType::i16, {2, 1, 5, 2, 1, 2, 3, 2}}, DType::i64);
}

TEST(ReverseSequence, LengthsOfFourSequences) {
  const auto x = Tensor::of<float>({4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  const auto lengths = Tensor::of<std::int64_t>({4}, {1, 2, 3, 4});
  const auto y = Tensor::of<float>({4, 4}, {0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12});
  testing::check_cpu(ReverseSequence{0, 1}, {x, lengths}, {y});
  testing::check_gpu(ReverseSequence{0, 1}, {x, lengths}, {y});
}

TEST(ReverseSequence, ALengthOutsideNamesNodePositionAndValue) {
  const auto message = [](ir::Executor& executor, const Tensor& lengths) {
    return tests::message_of([&] {
      ir::run_op(executor, ReverseSequence{0, 1}, {Tensor({DType::f32, {2, 3}}), lengths});
    });
  };
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(message(cpu, Tensor::of<std::int32_t>({2}, {3, 4})),
            "node 'y' (reverse_sequence): lengths[1] is 4, outside [0, 3]");
  EXPECT_EQ(message(cpu, Tensor::of<std::int64_t>({2}, {-1, 0})),
            "node 'y' (reverse_sequence): lengths[0] is -1, outside [0, 3]");
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  ir::Executor& gpu = *testing::gpu().executor;
  EXPECT_EQ(message(gpu, Tensor::of<std::int32_t>({2}, {3, 4})),
            "node 'y' (reverse_sequence): index 4 at position 1 is out of range");
  EXPECT_EQ(message(gpu, Tensor::of<std::int64_t>({2}, {std::int64_t{1} << 32, 0})),
            "node 'y' (reverse_sequence): index 4294967296 at position 0 is out of range");
  EXPECT_EQ(message(gpu, Tensor::of<std::int32_t>({2}, {-1, 0})),
            "node 'y' (reverse_sequence): index -1 at position 0 is out of range");
}

}  // namespace
}  // namespace plumb::reverse_sequence_test
