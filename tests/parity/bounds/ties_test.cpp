// Ties of results that are rounded once: of fma the exact result decides, not the f64 nearest to it.
#include "parity/bounds/ties.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/fma.hpp"
#include "ir/ops/prelu.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::ties_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Binary;
using ir::ops::BinaryFunction;
using ir::ops::Fma;

struct Judged {
  Tensor truth;
  compare::Allowed allowed;
  Tensor native;  ///< the reference's result in the dtype of the operands

  bool passes(const Tensor& got) const { return compare::compare(truth, got, allowed).agrees(); }
};

Judged judged(const ir::Op& op, const std::vector<Tensor>& operands) {
  ref_cpu::CpuExecutor cpu;
  ir::Graph graph;
  std::vector<ir::Value> inputs;
  for (const Tensor& x : operands) inputs.push_back(graph.input(ir::cat("x", inputs.size()), x.type()));
  graph.returns(graph.add("y", op, inputs));
  const core::Segment segment = core::segment_of(graph, 0);
  bounds::Bounded bounded =
      bounds::evaluate_bounded(cpu, segment, [&](ir::Value v) { return ir::passes::widen(operands[v]); }, {});
  Tensor native = core::evaluate(cpu, segment, [&](ir::Value v) { return operands[v]; }).outputs.at(0);
  return {std::move(bounded.truth.outputs[0]), std::move(bounded.allowed[0]), std::move(native)};
}

Tensor line(DType dtype, const std::vector<double>& x) {
  return ir::convert(Tensor::of<double>({static_cast<std::int64_t>(x.size())}, x), dtype);
}

/// Whether the op gives `due` and not its neighbour `other` of one element.
void expect_only(const ir::Op& op, DType dtype, const std::vector<double>& operands, double due, double other) {
  std::vector<Tensor> in;
  for (const double x : operands) in.push_back(line(dtype, {x}));
  const Judged y = judged(op, in);
  EXPECT_TRUE(y.allowed.decides_ties);
  EXPECT_TRUE(y.passes(line(dtype, {due}))) << due;
  EXPECT_FALSE(y.passes(line(dtype, {other}))) << other;
}

TEST(Ties, ATieOfFmaGoesToTheEvenNeighbour) {
  // 4097² = 16785409 lies half way between two f32, 32.5 · 33 = 1072.5 between two f16.
  expect_only(Fma{}, DType::f32, {4097, 4097, 0}, 16785408, 16785410);
  expect_only(Fma{}, DType::f32, {-4097, 4097, 0}, -16785408, -16785410);
  expect_only(Fma{}, DType::f16, {32.5, 33, 0}, 1072, 1073);
}

TEST(Ties, WhatLiesFarBelowATieOfFmaDecidesIt) {
  // The sums are 16785409 in f64, too, which is the tie itself.
  for (const double sign : {1.0, -1.0}) {
    expect_only(Fma{}, DType::f32, {sign * 4097, 4097, sign * 1e-30}, sign * 16785410, sign * 16785408);
    expect_only(Fma{}, DType::f32, {sign * 4097, 4097, sign * -1e-30}, sign * 16785408, sign * 16785410);
    expect_only(Fma{}, DType::bf16, {sign * 1.5, 1.0078125, sign * -0x1p-100}, sign * 1.5078125, sign * 1.515625);
  }
  // Digits that f64 still holds decide as well.
  expect_only(Fma{}, DType::f32, {0x1.000002p-24, 1, 1}, 0x1.000002p+0, 1);
}

TEST(Ties, SumsAndProductsAreDecidedByTheirTruth) {
  expect_only(Binary{BinaryFunction::add}, DType::f32, {1, 0x1p-24}, 1, 0x1.000002p+0);
  expect_only(Binary{BinaryFunction::add}, DType::f32, {1, 0x1.000002p-24}, 0x1.000002p+0, 1);
  expect_only(Binary{BinaryFunction::subtract}, DType::bf16, {1, -0x1p-8}, 1, 1.0078125);
  expect_only(Binary{BinaryFunction::multiply}, DType::f32, {4097, 4097}, 16785408, 16785410);
  expect_only(ir::ops::Unary{ir::ops::UnaryFunction::square}, DType::f32, {4097}, 16785408, 16785410);
  expect_only(ir::ops::Prelu{}, DType::f32, {-4097, 4097}, -16785408, -16785410);
}

TEST(Ties, IntegersAreRoundedOnceThoughTheTruthHasRoundedThem) {
  // One beside a tie of the narrow type, of which f64 has the tie itself.
  const auto expect_cast = [](DType to, std::int64_t x, double due, double other) {
    const Judged y = judged(ir::ops::Cast{to}, {Tensor::of<std::int64_t>({1}, {x})});
    EXPECT_TRUE(y.allowed.decides_ties);
    EXPECT_TRUE(y.passes(line(to, {due}))) << x;
    EXPECT_FALSE(y.passes(line(to, {other}))) << x;
    EXPECT_TRUE(y.passes(y.native)) << x;
  };
  constexpr std::int64_t one = 1;
  for (const std::int64_t sign : {1, -1}) {
    const auto s = static_cast<double>(sign);
    expect_cast(DType::f32, sign * ((one << 62) + (one << 38)), s * 0x1p62, s * 0x1.000002p62);
    expect_cast(DType::f32, sign * ((one << 62) + (one << 38) + 1), s * 0x1.000002p62, s * 0x1p62);
    expect_cast(DType::f32, sign * ((one << 62) + 3 * (one << 38) - 1), s * 0x1.000002p62, s * 0x1.000004p62);
    expect_cast(DType::bf16, sign * ((one << 61) + (one << 53) + 1), s * 0x1.02p61, s * 0x1p61);
    expect_cast(DType::bf16, sign * ((one << 61) + 3 * (one << 53) - 1), s * 0x1.02p61, s * 0x1.04p61);
    expect_cast(DType::f32, sign * 16777217, s * 16777216, s * 16777218);
    expect_cast(DType::f16, sign * 2049, s * 2048, s * 2050);
  }
  expect_cast(DType::f32, std::numeric_limits<std::int64_t>::max(), 0x1p63, 0x1.fffffep62);
  expect_cast(DType::f32, std::numeric_limits<std::int64_t>::min(), -0x1p63, -0x1.fffffep62);
  // A double holds the truth itself: nothing else passes.
  const std::int64_t tie = (one << 53) + 1;
  const Judged y = judged(ir::ops::Cast{DType::f64}, {Tensor::of<std::int64_t>({1}, {tie})});
  EXPECT_EQ(y.allowed.rule, compare::Allowed::Rule::bits);
  EXPECT_EQ(y.truth.as<double>()[0], 0x1p53);
}

TEST(Ties, OthersAreLeftToEitherNeighbour) {
  EXPECT_FALSE(
      judged(Fma{}, {line(DType::f64, {1}), line(DType::f64, {1}), line(DType::f64, {1})}).allowed.decides_ties);
  EXPECT_FALSE(
      judged(Binary{BinaryFunction::mod}, {line(DType::f32, {5}), line(DType::f32, {3})}).allowed.decides_ties);
  EXPECT_FALSE(
      judged(Binary{BinaryFunction::maximum}, {line(DType::f32, {5}), line(DType::f32, {3})}).allowed.decides_ties);
}

/// Terms of few bits, so that one sum in some is a tie, and addends that are far below or cancel.
std::vector<Tensor> triples(DType dtype, int far) {
  std::mt19937_64 random(7);
  const auto drawn = [&](int bits, int most) {
    const double whole = static_cast<double>(random() % (std::uint64_t{1} << bits)) + 1;
    return std::ldexp(random() % 2 == 0 ? whole : -whole, static_cast<int>(random() % (2U * most + 1)) - most);
  };
  std::vector<double> a, b, c;
  for (int i = 0; i < 100000; ++i) {
    a.push_back(drawn(dtype == DType::f32 ? 13 : 6, 2));
    b.push_back(drawn(dtype == DType::f32 ? 12 : 5, 2));
    c.push_back(i % 3 == 0   ? drawn(4, far)
                : i % 3 == 1 ? drawn(dtype == DType::f32 ? 24 : 8, 4)
                             : -a.back() * b.back());
  }
  return {line(dtype, a), line(dtype, b), line(dtype, c)};
}

TEST(Ties, TheTruthOfFmaRoundedIsTheExactResultRounded) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const std::vector<Tensor> in = triples(dtype, dtype == DType::f16 ? 12 : 60);
    const Judged y = judged(Fma{}, in);
    const Tensor rounded = ir::convert(y.truth, dtype), wide = ir::passes::widen(rounded);
    std::size_t ties = 0, wrong = 0;
    for (std::size_t i = 0; i < 100000; ++i) {
      const double truth = y.truth.as<double>()[i], r = wide.as<double>()[i];
      ties += std::abs(truth - r) >= compare::ulp_of(truth, dtype) / 2 * (1 - 0x1p-20);
      if (dtype == DType::f32) {
        const auto at = [&](std::size_t k) { return in[k].as<float>()[i]; };
        wrong += std::fma(at(0), at(1), at(2)) != rounded.as<float>()[i];
      }
    }
    EXPECT_EQ(wrong, 0U) << ir::info(dtype).name;
    EXPECT_GT(ties, 1000U) << ir::info(dtype).name;
    // The reference rounds sums of 16 bits once by a way of its own.
    EXPECT_TRUE(compare::compare(wide, y.native, {.rule = compare::Allowed::Rule::exact}).agrees())
        << ir::info(dtype).name;
  }
}

}  // namespace
}  // namespace plumb::parity::ties_test
