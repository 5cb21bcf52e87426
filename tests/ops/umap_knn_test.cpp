// Nearest neighbours from matrices of distances on both executors, which agree in every bit.
#include "ir/ops/umap_knn.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/graph.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::umap_knn_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::UmapKnn;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

TEST(UmapKnn, EveryDtypeAndNumber) {
  for (const auto& [n, k] : {std::pair{1, 0}, {2, 1}, {3, 2}, {17, 3}, {37, 36}, {131, 15}, {257, 63}, {300, 200}})
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      SCOPED_TRACE(ir::cat(k, " of ", n, " in ", dtype));
      check_op(UmapKnn{k}, {random_tensor({dtype, {n, n}}, 1)});
      const ir::Fill ties{.distribution = ir::Distribution::uniform_int, .low = -2, .high = 3};
      check_op(UmapKnn{k, DType::i32}, {random_tensor({dtype, {n, n}}, 2, ties)});
    }
}

TEST(UmapKnn, WorkedOut) {
  const auto d = Tensor::of<float>({4, 4}, {9, 2, nan, 2, nan, nan, nan, nan, 1, inf, 0, nan, -0.0f, 0, -1, nan});
  const auto near = Tensor::of<float>({4, 3}, {2, 2, inf, inf, inf, inf, 1, inf, inf, -1, -0.0f, 0});
  const auto who = Tensor::of<std::int32_t>({4, 3}, {1, 3, -1, -1, -1, -1, 0, 1, -1, 2, 0, 1});
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    check_cpu(UmapKnn{3, DType::i32}, {ir::convert(d, dtype)}, {ir::convert(near, dtype), who});
    check_gpu(UmapKnn{3, DType::i32}, {ir::convert(d, dtype)}, {ir::convert(near, dtype), who});
  }
}

TEST(UmapKnn, Refuses) {
  const auto refusal = [](const UmapKnn& op, const ir::TensorType& x) -> std::string {
    try {
      infer(op, ir::TensorTypes{x});
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({0}, {DType::f32, {0, 0}}), "");
  EXPECT_EQ(refusal({2}, {DType::f32, {3, 3}}), "");
  EXPECT_NE(refusal({3}, {DType::f32, {3, 3}}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({-1}, {DType::f32, {3, 3}}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({1}, {DType::f32, {3, 4}}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({1}, {DType::f32, {9}}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({1, DType::u32}, {DType::f32, {3, 3}}).find("(C3)"), std::string::npos);
  EXPECT_NE(refusal({1}, {DType::i32, {3, 3}}), "");
}

}  // namespace
}  // namespace plumb::umap_knn_test
