#include "ir/ops/pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/cases/pool_cases.hpp"
#include "tests/support/indices.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::pool_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Pool;
using testing::Index;
using F = ir::ops::PoolFunction;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

std::int64_t at(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

/// The taps of a window, straight from the entry: values inside, their positions in x, and
/// how many taps lie inside the pads.
struct Met {
  std::vector<double> values;
  std::vector<std::int64_t> positions;
  std::int64_t padded = 0;
};

Met met(const Pool& op, const Tensor& x, const Index& y) {
  const std::size_t rank = op.kernel_shape.size();
  Met found;
  testing::for_each_index(Shape(op.kernel_shape), [&](const Index& t, std::size_t) {
    Index i = {y[0], y[1]};
    bool in_pads = true;
    for (std::size_t a = 0; a < rank; ++a) {
      const std::int64_t begin = at(op.pads, a, 0), end = x.shape()[a + 2] + at(op.pads, a + rank, 0);
      const std::int64_t p = y[a + 2] * at(op.strides, a, 1) - begin + t[a] * at(op.dilations, a, 1);
      in_pads = in_pads && -begin <= p && p < end;
      i.push_back(p);
    }
    found.padded += in_pads;
    const std::int64_t position = testing::position_of(i, x.shape());
    if (position < 0) return;
    found.values.push_back(x.as<double>()[static_cast<std::size_t>(position)]);
    found.positions.push_back(position);
  });
  return found;
}

double by_definition(const Pool& op, const Met& met) {
  double sum = 0, largest = -infinity;
  for (const double v : met.values) {
    sum += op.function == F::lp ? std::pow(std::abs(v), static_cast<double>(op.p)) : v;
    if (!(v <= largest)) largest = v;
  }
  if (op.function == F::max) return largest;
  if (op.function == F::lp) return std::pow(sum, 1.0 / static_cast<double>(op.p));
  if (op.function == F::sum || met.values.empty()) return sum;
  return sum / static_cast<double>(op.count_include_pad ? met.padded : static_cast<std::int64_t>(met.values.size()));
}

TEST(Pool, EveryGeometryIsTheDefinition) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::pool_cases()) {
    SCOPED_TRACE(c.what);
    const Tensor x = testing::random_tensor({DType::f64, c.x}, ++seed);
    for (const Pool& op : testing::pools_of(c.op)) {
      SCOPED_TRACE(ir::enum_name(op.function));
      CpuExecutor cpu;
      const auto outputs = ir::run_op(cpu, op, {x});
      const Tensor& y = outputs.front();
      testing::for_each_index(y.shape(), [&](const Index& index, std::size_t position) {
        const Met window = met(op, x, index);
        const double expected = by_definition(op, window), got = y.as<double>()[position];
        ASSERT_TRUE(got == expected || std::abs(got - expected) <= 1e-13 * (1 + std::abs(expected)))
            << "y[" << position << "] is " << got << ", not " << expected;
        if (!op.with_indices) return;
        std::int64_t place = -1;
        for (std::size_t k = 0; k < window.values.size() && place < 0; ++k)
          if (window.values[k] == expected) place = window.positions[k];
        ASSERT_EQ(outputs[1].as<std::int64_t>()[position], place) << position;
      });
    }
  }
}

TEST(Pool, CeilModeDropsAWindowThatWouldBeginBehindTheImage) {
  const auto positions = [](std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                            std::vector<std::int64_t> pads) {
    const Pool op{.kernel_shape = {kernel}, .strides = {stride}, .pads = std::move(pads), .ceil_mode = true};
    return ir::infer(op, ir::TensorTypes{{DType::f32, {1, 1, extent}}})[0].shape[2];
  };
  EXPECT_EQ(positions(4, 3, 2, {0, 0}), 2);  // hangs over
  EXPECT_EQ(positions(4, 1, 2, {0, 0}), 2);  // the third would begin at 4
  EXPECT_EQ(positions(5, 1, 2, {0, 0}), 3);  // exact
  EXPECT_EQ(positions(4, 2, 3, {1, 1}), 2);  // the third would begin at 6 of 5
  EXPECT_EQ(positions(3, 2, 3, {1, 1}), 2);  // the second begins at 3 of 4: at the last of x
}

std::vector<double> values(const Tensor& y) { return {y.as<double>().begin(), y.as<double>().end()}; }

TEST(Pool, TiesNaNInfinityAndSignedZeros) {
  const Tensor x = Tensor::of<double>({6, 1, 3}, {3, 3, 1,                          // a tie
                                                  1, nan, nan,                      // the first NaN
                                                  nan, infinity, 1,                 //
                                                  -infinity, -infinity, -infinity,  // not the same as nothing
                                                  -0.0, 0.0, -0.0,                  // a tie
                                                  1, infinity, 2});
  CpuExecutor cpu;
  const auto y = ir::run_op(cpu, Pool{.kernel_shape = {3}, .with_indices = true}, {x});
  const auto best = values(y[0]);
  EXPECT_EQ(best[0], 3);
  EXPECT_TRUE(std::isnan(best[1]) && std::isnan(best[2]));
  EXPECT_EQ(best[3], -infinity);
  EXPECT_EQ(best[4], 0);
  EXPECT_EQ(best[5], infinity);
  const auto places = y[1].as<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(places.begin(), places.end()), (std::vector<std::int64_t>{0, 4, 6, 9, 12, 16}));
}

TEST(Pool, AWindowWithoutTaps) {
  // Taps at -1, 1 + 2 = 1: dilation 2, one element, one pad either side: both taps are outside.
  const Tensor x = Tensor::of<double>({1, 1, 1}, {7});
  const auto run = [&](Pool op) {
    op.kernel_shape = {2};
    op.dilations = {2};
    op.pads = {1, 1};
    CpuExecutor cpu;
    return ir::run_op(cpu, op, {x});
  };
  const auto largest = run({.function = F::max, .with_indices = true});
  EXPECT_EQ(values(largest[0]), std::vector<double>{-infinity});
  EXPECT_EQ(largest[1].as<std::int64_t>()[0], -1);
  for (const F f : {F::average, F::sum, F::lp})
    EXPECT_EQ(values(run({.function = f})[0]), std::vector<double>{0}) << ir::enum_name(f);
  EXPECT_EQ(values(run({.function = F::average, .count_include_pad = true})[0]), std::vector<double>{0});
}

TEST(Pool, IntegersKnowTheirLeast) {
  const Tensor x = Tensor::of<std::int8_t>({1, 1, 4}, {-128, -128, -3, -100});
  const Tensor y = run_one(Pool{.kernel_shape = {2}, .strides = {2}}, {x});
  EXPECT_EQ(y.as<std::int8_t>()[0], -128);
  EXPECT_EQ(y.as<std::int8_t>()[1], -3);
}

TEST(Pool, PowersOfNormsStayInRange) {
  const Tensor x = Tensor::of<float>({2, 1, 2}, {3e30f, 4e30f, 3e-30f, 4e-30f});
  const Tensor y = run_one(Pool{.function = F::lp, .kernel_shape = {2}}, {x});
  EXPECT_NEAR(y.as<float>()[0] / 5e30f, 1, 1e-6);
  EXPECT_NEAR(y.as<float>()[1] / 5e-30f, 1, 1e-6);
  const Tensor much = Tensor::of<double>({1, 1, 4}, {-infinity, 1, nan, 0});
  const Tensor z = run_one(Pool{.function = F::lp, .kernel_shape = {2}, .p = 3}, {much});
  EXPECT_EQ(z.as<double>()[0], infinity);
  EXPECT_TRUE(std::isnan(z.as<double>()[1]) && std::isnan(z.as<double>()[2]));
}

TEST(Pool, LongWindowsDoNotLoseDigits) {
  Tensor x({DType::f32, {1, 1, 1 << 20}});
  for (float& v : x.as<float>()) v = 0.1f;
  const Tensor y = run_one(Pool{.function = F::average, .kernel_shape = {1 << 20}}, {x});
  EXPECT_NEAR(y.as<float>()[0], 0.1, 1e-5);  // one sum after the other would be off by 4e-3
}

TEST(Pool, AnyNumberOfThreadsGivesTheSameBits) {
  const Tensor x = testing::random_tensor({DType::f32, {3, 5, 33, 47}}, 4);
  for (const F f : {F::max, F::average, F::lp, F::sum}) {
    const Pool op{.function = f, .kernel_shape = {5, 4}, .strides = {2, 3}, .pads = {2, 1, 0, 3}, .p = 3};
    const Tensor one = run_one(op, {x}, 1), seven = run_one(op, {x}, 7);
    EXPECT_TRUE(std::ranges::equal(one.bytes(), seven.bytes()));
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::pool_test
