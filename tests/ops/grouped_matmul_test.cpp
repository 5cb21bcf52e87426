// Products whose rows have matrices of their own: against the truth, and row by row against products.
#include "ir/ops/grouped_matmul.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ir/ops/matmul.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/experts.hpp"

namespace plumb::grouped_matmul_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::GroupedMatmul;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_experts;
using testing::random_tensor;

struct Extents {
  std::int64_t m, k, n, e;
};

std::vector<Tensor> operands(const GroupedMatmul& op, DType dtype, const Extents& of, std::uint64_t seed) {
  const auto& [m, k, n, e] = of;
  std::vector<Tensor> made = {random_tensor({dtype, {m, k}}, seed),
                              random_tensor({dtype, op.transpose_w ? Shape{e, n, k} : Shape{e, k, n}}, seed + 1),
                              random_experts(seed % 2 == 0 ? DType::i32 : DType::i64, m, e, seed + 2)};
  if (op.has_bias) made.push_back(random_tensor({dtype, {e, n}}, seed + 3));
  return made;
}

/// More rows than there are invocations that sort them, more experts than rows, tiles of 8 and of 64 rows.
TEST(GroupedMatmul, EveryDtypeAndShape) {
  const Extents all[] = {{1, 1, 1, 1},     {5, 0, 3, 2},     {3, 4, 2, 0},   {37, 129, 31, 7}, {0, 5, 3, 2},
                         {260, 17, 65, 3}, {3, 300, 5, 129}, {9, 16, 33, 8}, {1000, 3, 2, 300}};
  std::size_t number = 0;
  for (const Extents& one : all) {
    ++number;
    const GroupedMatmul op{.transpose_w = number % 3 == 0, .has_bias = number % 2 == 0};
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
      if (testing::takes_case(dtype, number)) check_op(op, operands(op, dtype, one, number));
  }
}

TEST(GroupedMatmul, IsTheProductOfEachRowWithItsMatrix) {
  const Extents of{23, 300, 17, 5};
  const GroupedMatmul op{};
  const auto given = operands(op, DType::f32, of, 2);
  ref_cpu::CpuExecutor cpu;
  const Tensor y = ir::run_op(cpu, op, given).front();
  const auto part = [](const Tensor& x, std::int64_t first, const Shape& shape) {
    Tensor taken({x.dtype(), shape});
    std::memcpy(taken.bytes().data(), x.bytes().data() + static_cast<std::size_t>(first) * sizeof(float),
                taken.bytes().size());
    return taken;
  };
  for (std::int64_t i = 0; i < of.m; ++i) {
    const std::int64_t expert = given[2].as<std::int32_t>()[static_cast<std::size_t>(i)];
    Tensor expected({DType::f32, {1, of.n}});
    if (expert >= 0)
      expected = ir::run_op(cpu, ir::ops::Matmul{},
                            {part(given[0], i * of.k, {1, of.k}), part(given[1], expert * of.k * of.n, {of.k, of.n})})
                     .front();
    EXPECT_TRUE(tests::same_bytes(part(y, i * of.n, {1, of.n}), expected)) << "row " << i << ", expert " << expert;
  }
}

/// Neither the weights of an expert that no row has, nor x, weights and bias of a row without one.
TEST(GroupedMatmul, WhatNoRowUsesHasNoInfluence) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = Tensor::of<float>({3, 2}, {1, 2, nan, nan, 3, 4});
  const auto w = Tensor::of<float>({3, 2, 2}, {nan, nan, nan, nan, 1, 0, 2, -1, nan, nan, nan, nan});
  const auto bias = Tensor::of<float>({3, 2}, {nan, nan, 10, 20, nan, nan});
  const auto expert = Tensor::of<std::int64_t>({3}, {1, -1, 1});
  const auto y = Tensor::of<float>({3, 2}, {15, 18, 0, 0, 21, 16});
  check_cpu(GroupedMatmul{.has_bias = true}, {x, w, expert, bias}, {y});
  check_gpu(GroupedMatmul{.has_bias = true}, {x, w, expert, bias}, {y});
}

TEST(GroupedMatmul, AnExpertThatThereIsNotNamesNodePositionAndValue) {
  testing::expect_faults_of_experts(
      GroupedMatmul{}, {Tensor({DType::f32, {3, 2}}), Tensor({DType::f32, {2, 2, 5}}), Tensor({DType::i32, {3}})}, 2);
}

}  // namespace
}  // namespace plumb::grouped_matmul_test
