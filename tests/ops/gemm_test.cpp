#include "ir/ops/gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_check.hpp"

namespace plumb::gemm_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Gemm;
using testing::check_op;
using testing::random_tensor;

TEST(Gemm, AgreesWithEveryTranspositionAndBroadcastOfC) {
  std::uint64_t seed = 1;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const Shape& c : {Shape{}, Shape{1}, Shape{33}, Shape{1, 33}, Shape{37, 1}, Shape{37, 33}})
      for (const int turned : {1, 2}) {
        const bool a = turned % 2 != 0, b = turned / 2 != 0;
        check_op(Gemm{0.75, -1.5, a, b, true}, {random_tensor({dtype, a ? Shape{17, 37} : Shape{37, 17}}, seed),
                                                random_tensor({dtype, b ? Shape{33, 17} : Shape{17, 33}}, seed + 1),
                                                random_tensor({dtype, c}, seed + 2)});
        seed += 3;
      }
}

TEST(Gemm, AddsEveryCToWholeTiles) {
  std::uint64_t seed = 1;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const Shape& c : {Shape{}, Shape{64}, Shape{128, 1}, Shape{128, 64}}) {
      check_op(Gemm{0.75, -1.5, false, true, true},
               {random_tensor({dtype, {128, 40}}, seed), random_tensor({dtype, {64, 40}}, seed + 1),
                random_tensor({dtype, c}, seed + 2)});
      seed += 3;
    }
}

TEST(Gemm, AddsEveryCToSumsOfSlices) {
  std::uint64_t seed = 1;
  for (const Shape& c : {Shape{}, Shape{68}, Shape{40, 1}, Shape{40, 68}}) {
    check_op(Gemm{0.75, -1.5, true, false, true},
             {random_tensor({DType::f32, {512, 40}}, seed), random_tensor({DType::f32, {512, 68}}, seed + 1),
              random_tensor({DType::f32, c}, seed + 2)});
    seed += 3;
  }
  // In 2 slices by matrices of 8 x 8.
  check_op(Gemm{0.75, -1.5, true, true, true},
           {random_tensor({DType::f16, {3072, 16}}, seed), random_tensor({DType::f16, {1352, 3072}}, seed + 1),
            random_tensor({DType::f16, {1352}}, seed + 2)});
}

TEST(Gemm, ScalesWithoutC) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    check_op(Gemm{1.0 / 3, 5, false, false, false},
             {random_tensor({dtype, {9, 70}}, 1), random_tensor({dtype, {70, 65}}, 2)});
}

TEST(Gemm, ZeroTimesNanIsNan) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const auto ones = ir::convert(Tensor::of<double>({2, 1}, {1, 1}), dtype);
    const auto c = ir::convert(Tensor::of<double>({2, 2}, {NAN, 1, INFINITY, 3}), dtype);
    const auto row = ir::convert(Tensor::of<double>({1, 2}, {1, 2}), dtype);
    testing::check_gpu(Gemm{1, 0, false, false, true}, {ones, row, c},
                       {ir::convert(Tensor::of<double>({2, 2}, {NAN, 2, NAN, 2}), dtype)});
    testing::check_gpu(Gemm{0, 1, false, false, false}, {c, ones},
                       {ir::convert(Tensor::of<double>({2, 1}, {NAN, NAN}), dtype)});
  }
}

TEST(Gemm, AnEmptySumLeavesBetaTimesC) {
  const auto c = Tensor::of<float>({2}, {4, 6});
  testing::check_gpu(Gemm{1, 0.5, false, false, true}, {Tensor({DType::f32, {3, 0}}), Tensor({DType::f32, {0, 2}}), c},
                     {Tensor::of<float>({3, 2}, {2, 3, 2, 3, 2, 3})});
}

}  // namespace
}  // namespace plumb::gemm_test
