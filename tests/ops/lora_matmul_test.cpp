// Products with a low-rank correction against the truth on both executors.
#include "ir/ops/lora_matmul.hpp"

#include <gtest/gtest.h>

#include "ir/graph.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::lora_matmul_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::LoraMatmul;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;

std::vector<Tensor> operands(DType dtype, const Shape& x, std::int64_t n, std::int64_t r) {
  const std::int64_t k = x.back();
  return {random_tensor({dtype, x}, 1), random_tensor({dtype, {k, n}}, 2), random_tensor({dtype, {k, r}}, 3),
          random_tensor({dtype, {r, n}}, 4)};
}

TEST(LoraMatmul, EveryDtypeAndShape) {
  struct Extents {
    Shape x;
    std::int64_t n, r;
  };
  const Extents all[] = {{{1}, 1, 1},      {{31}, 257, 7},     {{2, 3, 37}, 13, 3}, {{65, 129}, 63, 16},
                         {{3, 300}, 5, 0}, {{4, 0}, 3, 2},     {{0, 5}, 3, 2},      {{3, 5}, 0, 2},
                         {{7, 16}, 1, 33}, {{1, 1027}, 67, 8}, {{5, 2}, 3, 301}};
  std::size_t number = 0;
  for (const Extents& one : all) {
    ++number;
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
      if (testing::takes_case(dtype, number)) check_op(LoraMatmul{-1.7}, operands(dtype, one.x, one.n, one.r));
  }
}

/// f16 would lose the last bit of x·a, or its range.
TEST(LoraMatmul, TheInnerProductIsNotRounded) {
  const auto x = ir::convert(Tensor::of<float>({2, 2}, {2048, 1, 60000, 60000}), DType::f16);
  const auto w = ir::convert(Tensor::of<float>({2, 1}, {-1, 0}), DType::f16);
  const auto a = ir::convert(Tensor::of<float>({2, 1}, {1, 1}), DType::f16);
  const auto b = ir::convert(Tensor::of<float>({1, 1}, {1}), DType::f16);
  const auto y = ir::convert(Tensor::of<float>({2, 1}, {1, 60000}), DType::f16);
  check_cpu(LoraMatmul{}, {x, w, a, b}, {y});
  check_gpu(LoraMatmul{}, {x, w, a, b}, {y});
}

/// Sums of equal numbers creep, and all columns of a give the same error.
TEST(LoraMatmul, EqualNumbers) {
  const auto all = [](Shape shape, float value) {
    const auto count = static_cast<std::size_t>(shape.elements());
    return Tensor::of<float>(std::move(shape), std::vector<float>(count, value));
  };
  check_op(LoraMatmul{0.3}, {all({3, 1031}, 0.7f), all({1031, 17}, 0.1f), all({1031, 8}, -0.3f), all({8, 17}, 0.9f)});
}

TEST(LoraMatmul, Refuses) {
  const auto refusal = [](const std::vector<Shape>& shapes) -> std::string {
    ir::TensorTypes types;
    for (const Shape& shape : shapes) types.push_back({DType::f32, shape});
    try {
      infer(LoraMatmul{}, types);
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({{5}, {5, 3}, {5, 2}, {2, 3}}), "");
  for (const auto& shapes : std::vector<std::vector<Shape>>{{{4}, {5, 3}, {5, 2}, {2, 3}},
                                                            {{5}, {5, 3}, {4, 2}, {2, 3}},
                                                            {{5}, {5, 3}, {5, 2}, {1, 3}},
                                                            {{5}, {5, 3}, {5, 2}, {2, 4}}})
    EXPECT_NE(refusal(shapes).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({{}, {5, 3}, {5, 2}, {2, 3}}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({{5}, {5, 3}, {5}, {2, 3}}).find("(C1)"), std::string::npos);
}

}  // namespace
}  // namespace plumb::lora_matmul_test
