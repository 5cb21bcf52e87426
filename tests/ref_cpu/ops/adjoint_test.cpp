// conv_transpose and col2im: every product, and every column, goes where the formula says.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/cases/adjoint_cases.hpp"
#include "tests/support/indices.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::adjoint_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using testing::Index;

std::int64_t at(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

/// Where element t of the kernel at position o lands, behind the first two coordinates.
template <class Op>
void land(const Op& op, std::span<const std::int64_t> o, std::span<const std::int64_t> t, Index& y) {
  for (std::size_t a = 0; a < o.size(); ++a)
    y.push_back(o[a] * at(op.strides, a, 1) - at(op.pads, a, 0) + t[a] * at(op.dilations, a, 1));
}

void expect_near(const Tensor& y, const std::vector<double>& expected) {
  ASSERT_EQ(y.as<double>().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(y.as<double>()[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << i;
}

TEST(ConvTranspose, EveryGeometryIsTheDefinition) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::transpose_cases()) {
    SCOPED_TRACE(c.what);
    const std::int64_t filters = c.w[1], all = filters * c.op.group;
    std::vector<Tensor> in = {testing::random_tensor({DType::f64, c.x}, ++seed),
                              testing::random_tensor({DType::f64, c.w}, ++seed)};
    if (c.op.has_bias) in.push_back(testing::random_tensor({DType::f64, {all}}, ++seed));
    const Tensor y = run_one(c.op, in);
    std::vector<double> expected(static_cast<std::size_t>(y.elements()), 0);
    testing::for_each_index(y.shape(), [&](const Index& i, std::size_t position) {
      if (c.op.has_bias) expected[position] = in[2].as<double>()[static_cast<std::size_t>(i[1])];
    });
    testing::for_each_index(c.x, [&](const Index& x, std::size_t in_x) {
      testing::for_each_index(c.w, [&](const Index& w, std::size_t in_w) {
        if (w[0] != x[1]) return;
        Index target = {x[0], x[1] / (c.x[1] / c.op.group) * filters + w[1]};
        land(c.op, std::span(x).subspan(2), std::span(w).subspan(2), target);
        const std::int64_t position = testing::position_of(target, y.shape());
        if (position >= 0)
          expected[static_cast<std::size_t>(position)] += in[0].as<double>()[in_x] * in[1].as<double>()[in_w];
      });
    });
    expect_near(y, expected);
  }
}

TEST(ConvTranspose, AnyNumberOfThreadsGivesTheSameBits) {
  const Tensor x = testing::random_tensor({DType::f32, {2, 20, 31, 33}}, 1);
  const Tensor w = testing::random_tensor({DType::f32, {20, 30, 4, 4}}, 2);
  const ir::ops::ConvTranspose op{.strides = {2, 2}, .pads = {1, 1, 1, 1}};
  const Tensor one = run_one(op, {x, w}, 1), seven = run_one(op, {x, w}, 7);
  EXPECT_TRUE(std::ranges::equal(one.bytes(), seven.bytes()));
}

TEST(Col2im, EveryGeometryIsTheDefinition) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::fold_cases()) {
    SCOPED_TRACE(c.what);
    const Tensor x = testing::random_tensor({DType::f64, c.x}, ++seed);
    const Tensor y = run_one(c.op, {x});
    std::vector<double> expected(static_cast<std::size_t>(y.elements()), 0);
    Shape columns = {c.x[0], y.shape()[1]};  // x as [N, C, k.., O..]
    columns.insert(columns.end(), c.op.kernel_shape.begin(), c.op.kernel_shape.end());
    const std::size_t rank = c.op.kernel_shape.size();
    for (std::size_t a = 0; a < rank; ++a) {
      const std::int64_t room = c.op.image_shape[a] + at(c.op.pads, a, 0) + at(c.op.pads, a + rank, 0) -
                                at(c.op.dilations, a, 1) * (c.op.kernel_shape[a] - 1) - 1;
      columns.push_back(room / at(c.op.strides, a, 1) + 1);
    }
    testing::for_each_index(columns, [&](const Index& i, std::size_t in_x) {
      Index target = {i[0], i[1]};
      land(c.op, std::span(i).subspan(2 + rank), std::span(i).subspan(2, rank), target);
      const std::int64_t position = testing::position_of(target, y.shape());
      if (position >= 0) expected[static_cast<std::size_t>(position)] += x.as<double>()[in_x];
    });
    expect_near(y, expected);
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::adjoint_test
