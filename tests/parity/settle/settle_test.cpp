// Elements that are further off than chance has it are looked at one by one, as their kernel added them.
#include "parity/settle/settle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/ops/cumulative.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/error_model.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::settle::settle_test {
namespace {

using ir::DType;
using ir::SumJoin;
using ir::SumTake;
using ir::Tensor;

constexpr std::int64_t rows = 4;

/// A product of a [rows, k] and b [k, 1], or what is behind it, and what some kernel made of it.
struct Judged {
  compare::Comparison comparison;
  cases::Settled settled;
};

core::Segment product(const Tensor& a, const Tensor& b, const std::vector<ir::Op>& behind) {
  ir::Graph graph;
  ir::Value last = graph.input("a", a.type());
  last = graph.add("product", ir::ops::Matmul{}, {last, graph.input("b", b.type())});
  for (const ir::Op& op : behind) last = graph.add(ir::cat("behind ", graph.nodes().size()), op, {last});
  return core::segment_of(graph, graph.nodes().size() - 1, [&](ir::Value v) { return graph.is_source(v); });
}

Judged judge(const Tensor& a, const Tensor& b, const Tensor& got, const std::vector<ir::Sum>& sums,
             const std::vector<ir::Op>& behind = {}) {
  ref_cpu::CpuExecutor cpu;
  const core::Segment segment = product(a, b, behind);
  const bounds::Manner manner{.arithmetic = bounds::safe_arithmetic(sums)};
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(v == 0 ? a : b); }, manner);
  const std::vector<ir::TensorView> inputs = {a, b};
  const SettledOutput settled = settle({cpu, segment, inputs, sums, manner}, 0, bounded, got);
  Judged judged;
  judged.settled = settled.counts;
  judged.comparison = compare::compare(bounded.truth.outputs[0], got, settled.allowed);
  return judged;
}

/// How kernels add in these tests, and the same as they publish it.
struct Adder {
  std::string name;
  ir::Sum published;
  float (*add)(std::span<const float> products);
};

float chain(std::span<const float> terms) {
  float sum = terms[0];
  for (const float term : terms.subspan(1)) sum += term;
  return sum;
}

float chunks_of_64(std::span<const float> terms) {
  float sum = 0;
  for (std::size_t first = 0; first < terms.size(); first += 64) {
    const float part = chain(terms.subspan(first, std::min<std::size_t>(64, terms.size() - first)));
    sum = first == 0 ? part : sum + part;
  }
  return sum;
}

float eight_lanes(std::span<const float> terms) {
  float lanes[8] = {};
  for (std::size_t k = 0; k < terms.size(); ++k) lanes[k % 8] = k < 8 ? terms[k] : lanes[k % 8] + terms[k];
  for (std::size_t upper = 4; upper > 0; upper /= 2)
    for (std::size_t i = 0; i < upper; ++i) lanes[i] += lanes[i + upper];
  return lanes[0];
}

std::vector<Adder> adders() {
  constexpr auto separate = ir::SumUnit::separate;
  return {{"chain", {.unit = separate, .levels = {{}}}, chain},
          {"chunks", {.unit = separate, .levels = {{.count = 64}, {}}}, chunks_of_64},
          {"lanes",
           {.unit = separate, .levels = {{}, {.count = 8, .take = SumTake::every, .join = SumJoin::pair}}},
           eight_lanes}};
}

Tensor added(const Tensor& a, const Tensor& b, const Adder& adder) {
  const std::int64_t k = b.shape()[0];
  Tensor y({DType::f32, {rows, 1}});
  std::vector<float> products(static_cast<std::size_t>(k));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < products.size(); ++i)
      products[i] = a.as<float>()[r * products.size() + i] * b.as<float>()[i];
    y.as<float>()[r] = adder.add(products);
  }
  return y;
}

/// Numbers for which no order is like chance's.
struct Data {
  std::string name;
  std::function<double(std::size_t i, std::size_t k, double chance)> of_a;
};

std::vector<Data> kinds_of_data() {
  return {
      {"uniform", [](std::size_t, std::size_t, double c) { return 2 * c - 1; }},
      {"risen and fallen",
       [](std::size_t i, std::size_t k, double c) { return (i < k / 2 ? 1 : -1) * (0.9 + 0.2 * c); }},
      {"wave of 17", [](std::size_t i, std::size_t, double c) { return (i / 17 % 2 ? -1 : 1) * (0.9 + 0.2 * c); }},
      {"wave of 256", [](std::size_t i, std::size_t, double c) { return (i / 256 % 2 ? -1 : 1) * (0.9 + 0.2 * c); }},
      {"alternating", [](std::size_t i, std::size_t, double c) { return (i % 2 ? -1 : 1) * (0.9 + 0.2 * c); }},
      {"an outlier", [](std::size_t i, std::size_t k, double c) { return i == k / 3 ? 1e4 : c; }}};
}

Tensor numbers(std::int64_t count_rows, std::int64_t k, const Data& data, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  Tensor x({DType::f32, {count_rows, k}});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_rows * k); ++i)
    x.as<float>()[i] =
        static_cast<float>(data.of_a(i % static_cast<std::size_t>(k), static_cast<std::size_t>(k), chance(generator)));
  return x;
}

Tensor column(std::int64_t k, unsigned seed) {
  const Data near_one{"", [](std::size_t, std::size_t, double c) { return 0.9 + 0.1 * c; }};
  Tensor row = numbers(1, k, near_one, seed);
  Tensor b({DType::f32, {k, 1}});
  std::ranges::copy(row.as<float>(), b.as<float>().begin());
  return b;
}

TEST(SumLimit, HoldsForEveryOrderOfEveryTree) {
  for (const Adder& adder : adders())
    for (const Data& data : kinds_of_data())
      for (const std::int64_t k : {3, 256, 4092}) {
        const Tensor a = numbers(rows, k, data, 5), b = column(k, 6), got = added(a, b, adder);
        const Judged known = judge(a, b, got, {adder.published}), unknown = judge(a, b, got, {});
        EXPECT_LE(known.comparison.ratio(), 0.6) << adder.name << ", " << data.name << ", " << k;
        EXPECT_EQ(known.settled.replayed + known.settled.wide, 0u) << adder.name << ", " << data.name << ", " << k;
        EXPECT_TRUE(unknown.comparison.agrees()) << adder.name << ", " << data.name << ", " << k;
      }
}

/// The limits of all elements at once are those of elements that are looked at.
TEST(SumLimit, OfAllElementsAreThoseOfOpenOnes) {
  ref_cpu::CpuExecutor cpu;
  for (const Data& data : kinds_of_data()) {
    const Tensor a = numbers(rows, 512, data, 5), b = column(512, 6);
    const std::vector<ir::Sum> sums = {adders()[0].published};
    const core::Segment segment = product(a, b, {});
    const bounds::Manner manner{.arithmetic = bounds::safe_arithmetic(sums)};
    const std::vector<ir::TensorView> inputs = {a, b};
    const Subject subject{cpu, segment, inputs, sums, manner};
    const bounds::Bounded first = bounds::evaluate_bounded(
        cpu, segment, [&](ir::Value v) { return ir::passes::widen(v == 0 ? a : b); }, manner);
    const compare::Allowed exact = exact_limits(subject, 0, first, DType::f32);
    Tensor off = ir::convert(first.truth.outputs[0], DType::f32);
    const auto limits_of = [](const compare::Allowed& of) { return of.limits->probable.as<double>(); };
    const std::vector<double> at_first(limits_of(first.allowed[0]).begin(), limits_of(first.allowed[0]).end());
    for (std::size_t i = 0; i < rows; ++i) off.as<float>()[i] += static_cast<float>(0.75 * at_first[i]);
    const SettledOutput open = settle(subject, 0, first, off);
    EXPECT_EQ(open.counts.open, static_cast<std::uint64_t>(rows)) << data.name;
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_EQ(limits_of(exact)[i], limits_of(open.allowed)[i]) << data.name << ' ' << i;
      EXPECT_EQ(limits_of(first.allowed[0])[i], at_first[i]) << "what was evaluated stays as it is";
    }
    if (data.name == "risen and fallen") {
      EXPECT_GT(limits_of(exact)[0], 2 * at_first[0]);
    }
  }
}

TEST(SumLimit, NoWaveOfAnyPeriodPasses) {
  constexpr std::int64_t k = 512;
  for (std::int64_t period = 2; period <= k; ++period) {
    const Data wave{"", [=](std::size_t i, std::size_t, double c) {
                      return (static_cast<std::int64_t>(i) / (period / 2) % 2 ? -1 : 1) * (0.99 + 0.02 * c);
                    }};
    const Tensor a = numbers(rows, k, wave, 7), b = column(k, 8);
    const Judged one = judge(a, b, added(a, b, adders()[0]), {adders()[0].published});
    EXPECT_LE(one.comparison.ratio(), 0.6) << period;
  }
}

TEST(SumLimit, SeesATermThatIsMissing) {
  for (const Data& data : kinds_of_data()) {
    const Tensor a = numbers(rows, 512, data, 5), b = column(512, 6);
    Tensor got = added(a, b, adders()[1]);
    got.as<float>()[2] -= a.as<float>()[2 * 512 + 100] * b.as<float>()[100];
    const Judged one = judge(a, b, got, {adders()[1].published});
    EXPECT_EQ(one.comparison.n_bad, 1u) << data.name;
    EXPECT_EQ(one.settled.replayed + one.settled.wide, 0u) << data.name;
  }
}

/// Terms below half of the last place of the sum are lost, all of them, in one direction: the kernel's own order says
/// so, bit for bit.
TEST(Replay, OfTermsThatAreLostIsTheVeryBits) {
  const Data lost{"", [](std::size_t i, std::size_t, double c) { return i == 0 ? 1 : 7.5e-9 + 2e-8 * c; }};
  const Tensor a = numbers(rows, 4092, lost, 1), b = column(4092, 2);
  const Adder in_order = adders()[0];
  const Tensor got = added(a, b, in_order);
  const Judged known = judge(a, b, got, {in_order.published});
  EXPECT_TRUE(known.comparison.agrees());
  EXPECT_EQ(known.settled.replayed, static_cast<std::uint64_t>(rows));
  Tensor other = got;
  other.as<float>()[1] = std::nextafter(other.as<float>()[1], 0.0f);
  const Judged one_off = judge(a, b, other, {in_order.published});
  EXPECT_EQ(one_off.settled.replayed, static_cast<std::uint64_t>(rows - 1));
  EXPECT_EQ(one_off.comparison.n_bad, 1u);  // only what cannot be replayed may creep
  // A kernel that says nothing cannot be replayed; what its terms lose is known all the same.
  const Judged unknown = judge(a, b, got, {});
  EXPECT_TRUE(unknown.comparison.agrees());
  EXPECT_EQ(unknown.settled.wide, static_cast<std::uint64_t>(rows));
  EXPECT_FALSE(judge(a, b, added(a, b, adders()[2]), {in_order.published}).settled.replayed > 0);
}

TEST(WideLimit, HoldsForFewValuesAndSeesATermThatIsMissing) {
  for (const int levels : {1, 2, 3}) {
    const Data few{"", [=](std::size_t, std::size_t, double c) { return 0.1 * (1 + std::floor(levels * c)); }};
    const Tensor a = numbers(rows, 4092, few, 3);
    Tensor b({DType::f32, {4092, 1}});
    std::ranges::fill(b.as<float>(), 0.3f);
    for (const Adder& adder : adders()) {
      Tensor got = added(a, b, adder);
      EXPECT_TRUE(judge(a, b, got, {}).comparison.agrees()) << levels << ' ' << adder.name;
      got.as<float>()[0] -= a.as<float>()[7] * 0.3f;
      EXPECT_EQ(judge(a, b, got, {adder.published}).comparison.n_bad, 1u) << levels << ' ' << adder.name;
    }
  }
}

/// A device that flushes subnormal numbers makes 0 of every sum, which is within what each may lose and beyond half of
/// what the tensor may: all are looked at, and none fails. One by one they have 2 · 10⁸ terms.
TEST(Settle, LooksAtAllOfALineOfRunningSumsTogether) {
  constexpr std::int64_t n = 20'000;
  std::vector<float> small;
  for (std::int64_t k = 0; k < n; ++k) small.push_back(std::ldexp(static_cast<float>(1 + k % 97), -133));
  const Tensor x = Tensor::of<float>({n}, small), got({DType::f32, {n}});
  ir::Graph graph;
  graph.returns(graph.add("y", ir::ops::Cumulative{}, {graph.input("x", x.type())}));
  const core::Segment segment = core::segment_of(graph, 0);
  ref_cpu::CpuExecutor cpu;
  const std::vector<ir::Sum> sums = {{.of = ir::SumName::prefix,
                                      .levels = {{.count = 4, .compensated = true},
                                                 {.count = 8, .join = SumJoin::pair, .compensated = true},
                                                 {.compensated = true}}}};
  const bounds::Manner manner{.arithmetic = bounds::safe_arithmetic(sums), .flushes_subnormals = true};
  const std::vector<ir::TensorView> inputs = {x};
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value) { return ir::passes::widen(x); }, manner);
  const SettledOutput settled = settle({cpu, segment, inputs, sums, manner}, 0, bounded, got, Looks::at_all);
  EXPECT_GT(settled.counts.open, static_cast<std::uint64_t>(n / 2));
  EXPECT_EQ(settled.counts.left, 0u);
  EXPECT_EQ(compare::compare(bounded.truth.outputs[0], got, settled.allowed).n_bad, 0u);
}

/// Each element of a running sum has all terms before it: to look at every one would take n².
TEST(Settle, LooksAtNoMoreOnceOneElementIsBeyondAll) {
  constexpr std::int64_t n = 8000;
  Tensor x = numbers(1, n, {"", [](std::size_t i, std::size_t, double c) { return i == 0 ? 40 : c - 0.5; }}, 1);
  x = Tensor::of<float>({n}, std::vector<float>(x.as<float>().begin(), x.as<float>().end()));
  ir::Graph graph;
  graph.returns(graph.add("y", ir::ops::Cumulative{}, {graph.input("x", x.type())}));
  const core::Segment segment = core::segment_of(graph, 0);
  ref_cpu::CpuExecutor cpu;
  const bounds::Manner manner;
  const std::vector<ir::TensorView> inputs = {x};
  const bounds::Bounded first = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value) { return ir::passes::widen(x); }, manner);
  const auto settled = [&](double missing) {
    Tensor got({DType::f32, {n}});
    for (std::size_t i = 0; i < n; ++i)
      got.as<float>()[i] = static_cast<float>(first.truth.outputs[0].as<double>()[i] - missing);
    const SettledOutput found = settle({cpu, segment, inputs, {}, manner}, 0, first, got, Looks::until_one_fails);
    return std::pair(found.counts, compare::compare(first.truth.outputs[0], got, found.allowed).n_bad);
  };
  const auto [wrong, bad] = settled(40);
  EXPECT_GT(wrong.left, 3000u);
  EXPECT_EQ(wrong.open + wrong.left, static_cast<std::uint64_t>(n));
  EXPECT_EQ(bad, static_cast<std::uint64_t>(n));
  const auto [right, none] = settled(0);
  EXPECT_EQ(right.left, 0u);
  EXPECT_EQ(none, 0u);
}

TEST(SumLimit, OfWholeNumbersIsNothing) {
  const Data whole{"", [](std::size_t, std::size_t, double c) { return std::floor(8 * c); }};
  const Tensor a = numbers(rows, 512, whole, 3);
  Tensor b({DType::f32, {512, 1}});
  std::ranges::fill(b.as<float>(), 2.0f);
  Tensor got = added(a, b, adders()[2]);
  EXPECT_EQ(judge(a, b, got, {}).comparison.max_abs.value, 0);
  got.as<float>()[3] -= 1;
  EXPECT_EQ(judge(a, b, got, {}).comparison.n_bad, 1u);
}

/// Filters of one number, as light models have them, with something behind the sum.
TEST(WideLimit, IsCarriedThroughWhatFollowsInAKernel) {
  const Data few{"", [](std::size_t, std::size_t, double) { return 0.1; }};
  const Tensor a = numbers(rows, 4092, few, 3);
  Tensor b({DType::f32, {4092, 1}});
  std::ranges::fill(b.as<float>(), 0.3f);
  Tensor got = added(a, b, adders()[0]);
  const std::vector<ir::Op> relu = {ir::ops::Unary{ir::ops::UnaryFunction::relu}};
  const Judged one = judge(a, b, got, {adders()[0].published}, relu);
  EXPECT_TRUE(one.comparison.agrees());
  EXPECT_EQ(one.settled.wide, static_cast<std::uint64_t>(rows));
  got.as<float>()[0] -= 0.03f;
  EXPECT_EQ(judge(a, b, got, {adders()[0].published}, relu).comparison.n_bad, 1u);
}

/// The limits of elements that were looked at are carried through a kernel's epilogue.
TEST(SumLimit, IsCarriedThroughWhatFollowsInAKernel) {
  const Data data = kinds_of_data()[1];
  const Tensor a = numbers(rows, 4092, data, 5), b = column(4092, 6);
  Tensor got = added(a, b, adders()[0]);
  const std::vector<ir::Op> relu = {ir::ops::Unary{ir::ops::UnaryFunction::relu}};
  for (float& x : got.as<float>()) x = std::max(x, 0.0f);
  const Judged one = judge(a, b, got, {adders()[0].published}, relu);
  EXPECT_GT(one.settled.open, 0u);
  EXPECT_LE(one.comparison.ratio(), 0.6);
  got.as<float>()[0] += 1;
  EXPECT_EQ(judge(a, b, got, {adders()[0].published}, relu).comparison.n_bad, 1u);
}

/// So does a logarithm of sums that rise and fall, with something behind it.
TEST(SumLimit, OfALogarithmIsCarriedThroughWhatFollowsInAKernel) {
  constexpr std::size_t n = 4092;
  const Data rises{"", [](std::size_t i, std::size_t k, double c) { return 0.02 * c + (i < k / 2 ? 1 : -1.01); }};
  const Tensor x = numbers(rows, n, rises, 7);
  Tensor got({DType::f32, {rows, 1}});
  for (std::size_t r = 0; r < rows; ++r) got.as<float>()[r] = std::log(chain(x.as<float>().subspan(r * n, n)));
  ir::Graph graph;
  const ir::Value log =
      graph.add("log", ir::ops::Reduce{ir::ops::ReduceFunction::log_sum, {1}, true}, {graph.input("x", x.type())});
  graph.add("y", ir::ops::Unary{ir::ops::UnaryFunction::relu}, {log});
  const core::Segment segment = core::segment_of(graph, 1, [&](ir::Value v) { return graph.is_source(v); });
  ref_cpu::CpuExecutor cpu;
  const std::vector<ir::Sum> sums = {adders()[0].published};
  const bounds::Manner manner{.arithmetic = bounds::safe_arithmetic(sums)};
  const std::vector<ir::TensorView> inputs = {x};
  const auto compared = [&](bool looks_closely) {
    const bounds::Bounded bounded = bounds::evaluate_bounded(
        cpu, segment, [&](ir::Value) { return ir::passes::widen(x); }, manner);
    const compare::Allowed allowed =
        looks_closely ? settle({cpu, segment, inputs, sums, manner}, 0, bounded, got).allowed : bounded.allowed[0];
    return compare::compare(bounded.truth.outputs[0], got, allowed);
  };
  EXPECT_FALSE(compared(false).agrees());
  EXPECT_LE(compared(true).ratio(), 0.6);
  got.as<float>()[0] += 5e-3f;
  EXPECT_EQ(compared(true).n_bad, 1u);
}

}  // namespace
}  // namespace plumb::parity::settle::settle_test
