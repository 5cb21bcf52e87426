#include "ir/ops/tensor_scatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::tensor_scatter_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::TensorScatter;
using ir::ops::TensorScatterMode;

/// Row by row, as the definition has it.
void check(const TensorScatter& op, const ir::TensorType& cache_type, const ir::Shape& shape,
           const std::vector<std::int64_t>& indices = {}) {
  SCOPED_TRACE(ir::cat(cache_type, " update ", shape));
  const Tensor cache = tests::noise(cache_type), update = tests::noise({cache_type.dtype, shape}, 2);
  std::vector<Tensor> operands = {cache, update};
  if (op.has_write_indices) operands.push_back(Tensor::of<std::int64_t>({cache_type.shape[0]}, indices));
  Tensor y = cache;
  const ir::Lines into = ir::along(cache_type.shape, op.axis), from = ir::along(shape, op.axis);
  const std::size_t bytes = static_cast<std::size_t>(into.inner) * ir::info(cache_type.dtype).bytes;
  for (std::int64_t group = 0; group < from.outer; ++group)
    for (std::int64_t t = 0; t < from.length; ++t) {
      const std::int64_t b = group / (from.outer / cache_type.shape[0]);
      std::int64_t row = (op.has_write_indices ? indices[static_cast<std::size_t>(b)] : 0);
      row = op.mode == TensorScatterMode::circular ? ((row % into.length + into.length) % into.length + t) % into.length
                                                   : row + t;
      const auto to = static_cast<std::size_t>(group * into.length + row) * bytes;
      const auto at = static_cast<std::size_t>(group * from.length + t) * bytes;
      ir::raw::copy_bytes(update.bytes().subspan(at, bytes), y.bytes().subspan(to, bytes));
    }
  testing::check_bytes(op, operands, y);
}

TEST(TensorScatter, EveryDtype) {
  for (const DType dtype : {DType::boolean, DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32,
                            DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    check({.has_write_indices = true}, {dtype, {2, 3, 7, 5}}, {2, 3, 4, 5}, {3, 0});
}

TEST(TensorScatter, ACircle) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const TensorScatter op{.mode = TensorScatterMode::circular, .has_write_indices = true};
  check(op, {DType::f32, {5, 7, 3}}, {5, 7, 3}, {0, 6, -1, least, most});
  check(op, {DType::f16, {4, 2, 11, 64}}, {4, 2, 3, 64}, {10, -4294967297, 4294967305, 9});
}

TEST(TensorScatter, Shapes) {
  check({.axis = 1}, {DType::f32, {3, 4}}, {3, 4});  // the whole, rows of one element
  check({.axis = -1, .has_write_indices = true}, {DType::f32, {3, 17}}, {3, 5}, {12, 0, 7});
  check({.axis = 1}, {DType::bf16, {2, 9, 2, 3}}, {2, 0, 2, 3});
  check({.axis = 1}, {DType::f32, {0, 9, 2}}, {0, 3, 2});
  check({.axis = 1}, {DType::f32, {2, 9, 0}}, {2, 3, 0});
  check({.has_write_indices = true}, {DType::f16, {2, 8, 1031, 64}}, {2, 8, 129, 64}, {0, 902});
}

TEST(TensorScatter, ARowOutsideIsAFault) {
  const Tensor cache({DType::f32, {2, 3, 1}}), update({DType::f32, {2, 2, 1}});
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{4294967296}}) {
    const std::vector<Tensor> operands = {cache, update, Tensor::of<std::int64_t>({2}, {1, wrong})};
    const TensorScatter op{.has_write_indices = true};
    ref_cpu::CpuExecutor cpu;
    const auto message = tests::message_of([&] { ir::run_op(cpu, op, operands); });
    EXPECT_THAT(message, ::testing::HasSubstr(ir::cat(wrong)));
    if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
    EXPECT_THAT(tests::message_of([&] { ir::run_op(*testing::gpu().executor, op, operands); }),
                ::testing::HasSubstr(ir::cat(wrong)));
  }
}

/// ops.md K.2.
TEST(TensorScatter, WhatTheContractListsByHand) {
  const TensorScatter op{.mode = TensorScatterMode::circular, .has_write_indices = true};
  const Tensor cache = Tensor::of<float>({1, 4, 1}, {1, 2, 3, 4}), update = Tensor::of<float>({1, 2, 1}, {10, 20});
  for (const std::int64_t index : {3, -1}) {
    const std::vector<Tensor> operands = {cache, update, Tensor::of<std::int64_t>({1}, {index})};
    testing::check_bytes(op, operands, Tensor::of<float>({1, 4, 1}, {20, 2, 3, 10}));
  }
}

}  // namespace
}  // namespace plumb::tensor_scatter_test
