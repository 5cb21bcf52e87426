#include <gtest/gtest.h>

#include <limits>

#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/top_k.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/indexed_values.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::ordering_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using F = ArgReduceFunction;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> indices(const Tensor& y) {
  return {y.as<std::int64_t>().begin(), y.as<std::int64_t>().end()};
}
using Indices = std::vector<std::int64_t>;

TEST(ArgReduce, TiesNaNAndSignedZeros) {
  const Tensor x = Tensor::of<double>({7, 4}, {1,         3,         3,         2,          // a tie
                                               5,         5,         5,         5,          // nothing but ties
                                               nan,       1,         nan,       infinity,   // NaN beats infinity
                                               -infinity, 1,         nan,       -infinity,  //
                                               0.0,       -0.0,      0.0,       -0.0,       // all zero
                                               -infinity, -infinity, -infinity, -infinity,  //
                                               2,         1,         1,         7});
  const auto of = [&](F function, bool last) {
    return indices(run_one(ArgReduce{.function = function, .axis = 1, .select_last = last}, {x}));
  };
  EXPECT_EQ(of(F::max, false), (Indices{1, 0, 0, 2, 0, 0, 3}));
  EXPECT_EQ(of(F::max, true), (Indices{2, 3, 2, 2, 3, 3, 3}));
  EXPECT_EQ(of(F::min, false), (Indices{0, 0, 0, 2, 0, 0, 1}));
  EXPECT_EQ(of(F::min, true), (Indices{0, 3, 2, 2, 3, 3, 2}));
}

TEST(ArgReduce, UnsignedExtremesAndBothIndexTypes) {
  const Tensor x = Tensor::of<std::uint32_t>({3}, {0x80000000u, 0xFFFFFFFFu, 0});
  EXPECT_EQ(indices(run_one(ArgReduce{}, {x})), Indices{1});
  const Tensor least = run_one(ArgReduce{.function = F::min, .index_dtype = DType::i32}, {x});
  EXPECT_EQ(least.as<std::int32_t>()[0], 2);
}

TEST(ArgReduce, EveryAxisOfAWideTensorIsTheDefinition) {
  const ir::Shape shape{3, 37, 131};
  Tensor x({DType::i32, shape});
  for (std::size_t e = 0; e < x.as<std::int32_t>().size(); ++e)
    x.as<std::int32_t>()[e] = static_cast<std::int32_t>(e * 7919 % 101);  // full of ties
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const auto lines = ir::along(shape, axis);
    const auto y = indices(run_one(ArgReduce{.axis = axis}, {x}));
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      std::int64_t at = 0;
      for (std::int64_t k = 1; k < lines.length; ++k)
        if (x.as<std::int32_t>()[lines.at(line, k)] > x.as<std::int32_t>()[lines.at(line, at)]) at = k;
      ASSERT_EQ(y[static_cast<std::size_t>(line)], at) << "axis " << axis << ", line " << line;
    }
  }
}

TEST(Hardmax, MarksTheFirstMaximumByTheTotalOrder) {
  const Tensor x = Tensor::of<double>({4, 3}, {1, 3, 3, infinity, nan, nan, -0.0, 0.0, -1, -infinity, -infinity, -5});
  const Tensor y = run_one(Hardmax{}, {x});
  EXPECT_EQ(std::vector<double>(y.as<double>().begin(), y.as<double>().end()),
            (std::vector<double>{0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1}));
  const Tensor down = run_one(Hardmax{0}, {Tensor::of<std::int8_t>({2, 2}, {-128, 5, 127, 5})});
  EXPECT_EQ(std::vector<std::int8_t>(down.as<std::int8_t>().begin(), down.as<std::int8_t>().end()),
            (std::vector<std::int8_t>{0, 1, 1, 0}));
}

TEST(Ordering, ThreadsDoNotChangeABit) {
  using plumb::testing::random_tensor;
  constexpr auto add = ir::kernels::ScatterReduction::add;
  const Tensor x = random_tensor({DType::f32, {67, 1001, 5}}, 1),
               updates = random_tensor({DType::f32, {60, 3001, 5}}, 2);
  const Tensor at = plumb::testing::axis_indices({DType::i64, {60, 3001, 5}}, 1001);
  const Tensor rows = plumb::testing::axis_indices({DType::i64, {301, 1}}, 67);
  const std::pair<ir::Op, std::vector<Tensor>> cases[] = {
      {ArgReduce{.axis = 1}, {x}},
      {Cumulative{.axis = 1}, {x}},
      {TopK{.k = 77, .axis = 1, .sorted = false}, {x}},
      {ScatterElements{1}, {x, at, updates}},
      {ScatterElements{1, add}, {x, at, updates}},
      {ScatterNd{add}, {x, rows, random_tensor({DType::f32, {301, 1001, 5}}, 3)}},
  };
  for (const auto& [op, operands] : cases) {
    const Tensor one = run_one(op, operands, 1);
    for (const int threads : {2, 7, 16})
      EXPECT_TRUE(std::ranges::equal(run_one(op, operands, threads).bytes(), one.bytes()))
          << op.name() << ", " << threads << " threads";
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::ordering_test
