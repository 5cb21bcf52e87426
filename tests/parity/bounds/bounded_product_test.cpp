#include "parity/bounds/bounded_product.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "ir/ops/matmul.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "library/reference.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/bounds/bounded_matmul.hpp"

namespace plumb::parity::bounded_product_test {
namespace {

using ir::DType;
using ir::Tensor;

constexpr double inflation = 1 + 0x1p-15;  // as in parity/bounds/bounded_matmul.hpp

core::Segment product(const ir::ops::Matmul& op, const Tensor& a, const Tensor& b, bool and_tanh = false) {
  ir::Graph graph;
  ir::Value last = graph.input("a", a.type());
  last = graph.add("product", op, {last, graph.input("b", b.type())});
  if (and_tanh) last = graph.add("tanh", ir::ops::Unary{ir::ops::UnaryFunction::tanh}, {last});
  return core::segment_of(graph, graph.nodes().size() - 1, [&](ir::Value v) { return graph.is_source(v); });
}

bounds::Bounded bounded(ir::Executor& executor, const core::Segment& segment, const Tensor& a, const Tensor& b,
                        const bounds::Manner& manner = {}) {
  return bounds::evaluate_bounded(
      executor, segment, [&](ir::Value v) { return ir::passes::widen(v == 0 ? a : b); }, manner);
}

/// Where y is a number: every limit is what the formula gives, made larger by the inflation at most.
void expect_limits(const bounds::Bounded& found, const bounds::Bounded& wanted) {
  const auto y = found.truth.outputs[0].as<double>(), plain = wanted.truth.outputs[0].as<double>();
  const auto &of_found = *found.allowed[0].limits, &of_wanted = *wanted.allowed[0].limits;
  const auto probable = of_found.probable.as<double>(), certain = of_found.certain.as<double>();
  const auto off = found.uncertainty[0].limits->probable.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(plain[i])) {
      ASSERT_EQ(std::isnan(y[i]), std::isnan(plain[i])) << i;
      continue;
    }
    const double most = of_wanted.certain.as<double>()[i], likely = of_wanted.probable.as<double>()[i];
    ASSERT_LE(std::abs(y[i] - plain[i]), wanted.uncertainty[0].limits->probable.as<double>()[i] * 2) << i;
    ASSERT_GE(certain[i], most * (1 - 1e-12)) << i;
    ASSERT_LE(certain[i], most * inflation) << i;
    ASSERT_GE(probable[i], likely / inflation) << i;
    ASSERT_LE(probable[i], likely * inflation) << i;
    ASSERT_GE(off[i], wanted.uncertainty[0].limits->probable.as<double>()[i] * (1 - 1e-12)) << i;
  }
}

void compare_limits(const ir::ops::Matmul& op, const Tensor& a, const Tensor& b, const bounds::Manner& manner = {}) {
  SCOPED_TRACE(
      ir::cat(a.type(), op.transpose_a ? " transposed" : "", " by ", b.type(), op.transpose_b ? " transposed" : ""));
  ref_cpu::CpuExecutor cpu = library::reference_executor();
  ref_cpu::CpuExecutor plain;  // without a kernel of its own: limits by the formulas, in f64 throughout
  const core::Segment segment = product(op, a, b);
  expect_limits(bounded(cpu, segment, a, b, manner), bounded(plain, segment, a, b, manner));
}

/// Numbers of both signs, 2^low to 2^high, some of them zeros.
Tensor numbers(const ir::Shape& shape, std::mt19937& chance, double low, double high, double zeros = 0) {
  Tensor x({DType::f32, shape});
  std::uniform_real_distribution<double> size(low, high), share(0, 1);
  for (float& one : x.as<float>()) {
    const auto value = static_cast<float>(std::exp2(size(chance)));
    one = share(chance) < zeros ? 0.0f : share(chance) < 0.5 ? -value : value;
  }
  return x;
}

TEST(BoundedProduct, HasTheLimitsOfTheFormulasForAnyShape) {
  std::mt19937 chance(1);
  const auto extent = [&](int most) { return std::uniform_int_distribution<std::int64_t>(1, most)(chance); };
  for (int time = 0; time < 40; ++time) {
    const ir::ops::Matmul op{.transpose_a = time % 2 == 1, .transpose_b = time % 4 > 1, .output_dtype = {}};
    const std::int64_t m = extent(150), n = extent(150), k = extent(time % 5 == 0 ? 1500 : 300), batch = extent(3);
    const ir::Shape a = op.transpose_a ? ir::Shape{batch, k, m} : ir::Shape{batch, m, k};
    const bool shared = time % 3 == 0;
    ir::Shape b = op.transpose_b ? ir::Shape{n, k} : ir::Shape{k, n};
    if (!shared) b.insert(b.begin(), time % 3 == 1 ? batch : 1);
    compare_limits(op, numbers(a, chance, -3, 3, 0.1), numbers(b, chance, -3, 3, 0.1));
  }
}

TEST(BoundedProduct, HasTheLimitsOfTheFormulasForAnySize) {
  std::mt19937 chance(2);
  constexpr double ranges[][4] = {{90, 100, -100, -90},   {-100, -90, -100, -90}, {90, 100, 90, 100},  // 1e±30
                                  {-100, 100, -100, 100}, {-149, -127, -3, 3},    {-149, 127, -149, 127}};
  for (const auto& [low_a, high_a, low_b, high_b] : ranges)
    for (const double zeros : {0.0, 0.5, 0.97})
      compare_limits({}, numbers({33, 130}, chance, low_a, high_a, zeros),
                     numbers({130, 40}, chance, low_b, high_b, zeros));
  // Small numbers are not lost next to a row's large ones: the products of large and small are equal.
  compare_limits({}, Tensor::of<float>({1, 2}, {1e30f, 1e-30f}), Tensor::of<float>({2, 1}, {1e-30f, 1e30f}));
  compare_limits({}, Tensor::of<float>({1, 2}, {1.0f, 1e-38f}), Tensor::of<float>({2, 1}, {0.0f, 1e-5f}));
}

TEST(BoundedProduct, HasTheLimitsOfTheFormulasBesideWhatIsNoNumber) {
  std::mt19937 chance(3);
  for (const float special : {INFINITY, -INFINITY, NAN}) {
    Tensor a = numbers({40, 70}, chance, -3, 3), b = numbers({70, 200}, chance, -3, 3, 0.01);
    a.as<float>()[7 * 70 + 5] = special;
    b.as<float>()[9 * 200 + 150] = special;
    compare_limits({}, a, b);
  }
}

TEST(BoundedProduct, KnowsTreesAndSumsThatAreCutOff) {
  std::mt19937 chance(4);
  Tensor a = numbers({20, 300}, chance, -3, 3), b = numbers({300, 30}, chance, -3, 3);
  std::ranges::fill(a.as<float>().subspan(600, 300), -0.25f);
  for (std::size_t k = 0; k < 300; ++k) b.as<float>()[k * 30 + 4] = k % 2 == 0 ? 3.0f : -3.0f;
  compare_limits({}, a, b);
  compare_limits({}, a, b, {.arithmetic = {.truncates = true, .block = 4}});
  compare_limits({}, a, b, {.arithmetic = {.truncates = true}});
  compare_limits({}, a, b, {.arithmetic = {.accumulator = 0x1p-13}});
  compare_limits({}, a, b, {.arithmetic = {.sum = ir::Sum{.unit = ir::SumUnit::fma, .levels = {{32}, {}}}}});
  const auto half = [](const Tensor& x) { return ir::convert(x, DType::f16); };
  compare_limits({}, half(a), half(b));
  compare_limits({.output_dtype = DType::f32}, half(a), half(b), {.arithmetic = {.truncates = true, .block = 8}});
}

TEST(BoundedProduct, KnowsUnitsThatAlignSubnormalsAsIfTheyWereNormal) {
  std::mt19937 chance(6);
  const auto half = [](const Tensor& x) { return ir::convert(x, DType::f16); };
  const bounds::Manner unit{.arithmetic = {.truncates = true, .block = 4, .by_exponent = true}};
  const ir::ops::Matmul op{.output_dtype = DType::f32};
  const Tensor a = half(numbers({33, 130}, chance, -3, 3, 0.1));
  compare_limits(op, a, half(numbers({130, 40}, chance, -24, -14, 0.3)), unit);
  compare_limits(op, a, half(numbers({130, 40}, chance, -24, 0, 0.3)), unit);
  compare_limits(op, half(numbers({20, 70}, chance, -24, -20)), half(numbers({70, 9}, chance, -24, -20)), unit);
}

TEST(BoundedProduct, IsCarriedThroughWhatFollowsInAKernel) {
  std::mt19937 chance(5);
  const Tensor a = numbers({20, 100}, chance, -9, -3), b = numbers({100, 30}, chance, -3, 3);
  ref_cpu::CpuExecutor cpu = library::reference_executor();
  ref_cpu::CpuExecutor plain;  // without a kernel of its own: limits by the formulas, in f64 throughout
  const core::Segment segment = product({}, a, b, true);
  const bounds::Bounded found = bounded(cpu, segment, a, b), wanted = bounded(plain, segment, a, b);
  for (std::size_t i = 0; i < 600; ++i) {
    const double limit = wanted.allowed[0].limits->certain.as<double>()[i];
    EXPECT_GE(found.allowed[0].limits->certain.as<double>()[i], limit * (1 - 1e-9)) << i;
    EXPECT_LE(found.allowed[0].limits->certain.as<double>()[i], limit * inflation) << i;
  }
}

TEST(BoundedProduct, HasEqualBitsWithAnyNumberOfThreads) {
  std::mt19937 chance(6);
  const Tensor a = numbers({3, 150, 700}, chance, -20, 20), b = numbers({3, 700, 90}, chance, -20, 20);
  const core::Segment segment = product({}, a, b);
  ref_cpu::CpuExecutor alone = library::reference_executor(1);
  const bounds::Bounded first = bounded(alone, segment, a, b);
  for (const int threads : {2, 7}) {
    ref_cpu::CpuExecutor several = library::reference_executor(threads);
    const bounds::Bounded again = bounded(several, segment, a, b);
    EXPECT_TRUE(std::ranges::equal(first.truth.outputs[0].bytes(), again.truth.outputs[0].bytes()));
    const auto &one = *first.allowed[0].limits, &other = *again.allowed[0].limits;
    EXPECT_TRUE(std::ranges::equal(one.probable.bytes(), other.probable.bytes()));
    EXPECT_TRUE(std::ranges::equal(one.certain.bytes(), other.certain.bytes()));
  }
}

}  // namespace
}  // namespace plumb::parity::bounded_product_test
