// Rotary embeddings of a grid against the truth on both executors.
#include "ir/ops/axial_rope_2d.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ir/graph.hpp"
#include "ir/ops/rope.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::axial_rope_2d_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::AxialRope2d;
using testing::check_op;
using testing::random_tensor;

TEST(AxialRope2d, EveryDtypeAndGrid) {
  struct Grid {
    AxialRope2d op;
    Shape x;
  };
  const Grid all[] = {{{.width = 7, .height = 5, .head_dim = 8}, {2, 35, 24}},
                      {{.width = 1, .height = 9, .head_dim = 4}, {3, 9, 4}},
                      {{.width = 9, .height = 1, .head_dim = 12}, {1, 8, 24}},
                      {{.width = 3, .height = 3, .head_dim = 16, .theta = 100.1, .repeat = 2}, {2, 17, 48}},
                      {{.width = 13, .height = 131, .head_dim = 64}, {1, 1031, 192}},
                      {{.width = 1, .height = 1, .head_dim = 4}, {1, 1, 4}},
                      {{.width = 4, .height = 4, .head_dim = 8}, {2, 0, 8}},
                      {{.width = 4, .height = 4, .head_dim = 8}, {2, 3, 0}},
                      {{.width = std::int64_t{1} << 62, .height = 1, .head_dim = 8, .repeat = 3}, {1, 7, 8}}};
  for (const Grid& one : all)
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
      check_op(one.op, {random_tensor({dtype, one.x}, 1)});
}

/// Tables of rope that say the same, in f64: half a head by columns, the other by rows.
TEST(AxialRope2d, IsRopeByTwoTables) {
  ref_cpu::CpuExecutor cpu;
  constexpr std::int64_t width = 5, height = 3, tokens = 29, heads = 2, depth = 12;
  const AxialRope2d op{.width = width, .height = height, .head_dim = depth, .theta = 50, .repeat = 2};
  const Tensor x = random_tensor({DType::f64, {1, tokens, heads * depth}}, 4);
  Tensor cos({DType::f64, {tokens, depth / 2}}), sin(cos.type());
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t i = 0; i < depth / 2; ++i) {
      const std::int64_t p = i < depth / 4 ? t / 2 % width : t / 2 / width;
      const double frequency = std::pow(50.0, -4.0 * static_cast<double>(i % (depth / 4)) / depth);
      const auto at = static_cast<std::size_t>(t * depth / 2 + i);
      cos.as<double>()[at] = std::cos(static_cast<double>(p) * frequency);
      sin.as<double>()[at] = std::sin(static_cast<double>(p) * frequency);
    }
  const ir::ops::Rope rope{.layout = ir::ops::RopeLayout::bshd, .interleaved = true};
  Tensor by_head({DType::f64, {1, tokens, heads, depth}});
  std::ranges::copy(x.as<double>(), by_head.as<double>().begin());
  const Tensor y = ir::run_op(cpu, op, {x}).front(), other = ir::run_op(cpu, rope, {by_head, cos, sin}).front();
  for (std::size_t i = 0; i < x.as<double>().size(); ++i) EXPECT_EQ(y.as<double>()[i], other.as<double>()[i]) << i;
}

TEST(AxialRope2d, Refuses) {
  const auto refusal = [](const AxialRope2d& op, const Shape& x) -> std::string {
    try {
      infer(op, ir::TensorTypes{{DType::f32, x}});
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  const AxialRope2d good{.width = 3, .height = 2, .head_dim = 8, .repeat = 2};
  EXPECT_EQ(refusal(good, {1, 12, 16}), "");
  EXPECT_NE(refusal(good, {1, 13, 16}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal(good, {1, 12, 12}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal(good, {12, 16}).find("(C4)"), std::string::npos);
  for (const auto& [width, height, repeat] : {std::array{0, 1, 1}, std::array{1, 0, 1}, std::array{1, 1, 0}})
    EXPECT_NE(refusal({.width = width, .height = height, .head_dim = 8, .repeat = repeat}, {1, 1, 8}).find("(C2)"),
              std::string::npos);
  for (const double theta : {0.0, -1.0, 1e39, 1e-46, std::nan("")})
    EXPECT_NE(refusal({.head_dim = 8, .theta = theta}, {1, 1, 8}).find("(C3)"), std::string::npos) << theta;
}

}  // namespace
}  // namespace plumb::axial_rope_2d_test
