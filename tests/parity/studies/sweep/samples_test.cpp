// Sweeps over several samples of inputs, and of graphs that are stored in 16 bits.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "parity/studies/sweep/sweep.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::sweep_samples_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::make_case;
using testing::Suspect;
using ::testing::ThrowsMessage;

constexpr auto two_layers = R"({"format": "plumb.graph/1", "why": "two products that may run in f16",
  "inputs": {"x": {"type": "f32[9, 40]"}},
  "params": {"w": {"type": "f32[40, 64]"},
             "v": {"type": "f32[64, 6]", "fill": {"distribution": "uniform", "low": 0.99, "high": 1}}},
  "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "p", "op": "softmax", "inputs": ["h"], "axis": -1},
            {"label": "y", "op": "matmul", "inputs": ["p", "v"]}],
  "results": ["y"]})";

double rel_l2_of(const studies::sweep::SweepRow& row) {
  return row.outputs[0].largest(&studies::sweep::OutputError::rel_l2);
}

studies::sweep::SweepResult sweep_of(const std::vector<cases::Case>& samples,
                                     const studies::sweep::SweepOptions& options, Suspect suspect = {}) {
  ref_cpu::CpuExecutor reference;
  cases::Observer nobody;
  return studies::sweep::sweep(samples, {.reference = reference, .candidate = &suspect}, options, nobody);
}

/// two_layers by a seed, the weights being those of the first.
cases::Case sample_of(std::uint64_t seed) {
  cases::Case sample = make_case(two_layers, seed);
  for (const char* weight : {"w", "v"}) sample.feeds.at(weight) = make_case(two_layers, 1).feeds.at(weight);
  return sample;
}

TEST(Sweep, WhatIsStoredInF16IsHeldToTheGraphAsItWas) {
  constexpr auto tiny_weights = R"({"format": "plumb.graph/1", "why": "weights that f16 keeps few bits of",
    "inputs": {"x": {"type": "f32[4, 64]"}},
    "params": {"w": {"type": "f32[64, 48]", "fill": {"distribution": "normal", "scale": 1e-7}}},
    "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "n", "op": "layer_norm", "inputs": ["h"], "axis": 1, "epsilon": 1e-30, "has_scale": false,
               "has_bias": false},
              {"label": "p", "op": "softmax", "inputs": ["n"]}],
    "results": ["p"]})";
  const auto result = sweep_of({make_case(tiny_weights)}, {.precisions = {ir::passes::Precision::f16acc32},
                                                           .stored = {ir::DType::f16, ir::DType::bf16},
                                                           .choices = {studies::sweep::Choice::always}});
  ASSERT_EQ(result.rows.size(), 3u);
  const double operands = rel_l2_of(result.rows[0]), stored = rel_l2_of(result.rows[1]);
  EXPECT_NEAR(stored, 1.57e-1, 0.005e-1);
  EXPECT_NEAR(stored, operands, 0.1 * operands);  // the weights that are rounded are the same
  EXPECT_NEAR(result.rows[1].outputs[0].largest(&studies::sweep::OutputError::converted), 2.25e-2, 0.005e-2);
  EXPECT_TRUE(std::isnan(result.rows[0].outputs[0].largest(&studies::sweep::OutputError::converted)));
  EXPECT_LT(rel_l2_of(result.rows[2]), 2e-2);  // bf16 has the exponents of f32
  const std::string text = studies::sweep::to_text(result);
  EXPECT_THAT(text, ::testing::ContainsRegex("\nf16 +stored +p +all +- +[0-9.e-]+ +1.57e-01 +2.2[0-9]e-02 +16.1 "));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nbf16 +stored "));
}

TEST(Sweep, ADeviceThatCannotStoreSoIsARowThatSaysWhy) {
  Suspect suspect;
  suspect.tamper = [](const ir::Node& node, ir::Tensor& y) {
    if (y.dtype() == ir::DType::f16) throw ir::Unsupported("node '" + node.label + "': no f16 here");
  };
  const auto result = sweep_of({make_case(two_layers)},
                               {.precisions = {ir::passes::Precision::f32}, .stored = {ir::DType::f16}}, suspect);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_THAT(result.rows[1].unsupported, HasSubstr("node 'h': no f16 here"));
  EXPECT_THAT(studies::sweep::to_text(result), HasSubstr("f16: node 'h': no f16 here"));
}

TEST(Sweep, OfSeveralSamplesTheWorstAndTheMedianAreSaid) {
  const studies::sweep::SweepOptions options{.choices = {studies::sweep::Choice::always}};
  std::vector<cases::Case> samples;
  std::vector<double> alone;
  for (const std::uint64_t seed : {1, 2, 3}) {
    samples.push_back(sample_of(seed));
    alone.push_back(rel_l2_of(sweep_of({sample_of(seed)}, options).rows[1]));
  }
  const studies::sweep::SweepResult all = sweep_of(samples, options);
  const studies::sweep::OutputErrors& y = all.rows[1].outputs[0];
  ASSERT_EQ(y.samples.size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(y.samples[s].rel_l2, alone[s]);
  std::ranges::sort(alone);
  EXPECT_EQ(y.largest(&studies::sweep::OutputError::rel_l2), alone[2]);
  EXPECT_EQ(y.median(&studies::sweep::OutputError::rel_l2), alone[1]);
  EXPECT_THAT(studies::sweep::to_text(all), AllOf(HasSubstr("  median  "), HasSubstr("the worst of 3 samples")));
  EXPECT_THAT(studies::sweep::to_text(sweep_of({samples[0]}, options)), ::testing::Not(HasSubstr("median")));
}

TEST(Sweep, TheBudgetIsOfEverySample) {
  std::vector<cases::Case> samples = {sample_of(1), sample_of(2)};
  const auto taken = [&](const std::vector<cases::Case>& of, double budget) {
    return sweep_of(of, {.precisions = {ir::passes::Precision::f16acc32},
                         .choices = {studies::sweep::Choice::bound},
                         .budgets = {budget}})
        .rows[0]
        .plan.size();
  };
  for (float& x : samples[0].feeds.at("x").as<float>()) x *= 0.01f;  // weights all alike: roundings cancel
  const auto both = [&](const cases::Case& one) {
    return rel_l2_of(sweep_of({one}, {.choices = {studies::sweep::Choice::always}}).rows[1]);
  };
  const double first = both(samples[0]), second = both(samples[1]);
  ASSERT_GT(second, 2 * first);
  const double budget = 1.5 * first;
  EXPECT_EQ(taken({samples[0]}, budget), 2u);
  EXPECT_LT(taken(samples, budget), 2u);
}

TEST(Sweep, EachBudgetIsARowAndSoIsAPlanThatIsGiven) {
  const studies::sweep::SweepRow always =
      sweep_of({sample_of(1)}, {.choices = {studies::sweep::Choice::always}}).rows[1];
  const double all = rel_l2_of(always);
  const studies::sweep::SweepResult result = sweep_of({sample_of(1)}, {.precisions = {ir::passes::Precision::f16acc32},
                                                                       .choices = {studies::sweep::Choice::bound},
                                                                       .budgets = {1e-9, 2 * all},
                                                                       .given = always.plan});
  ASSERT_EQ(result.rows.size(), 3u);
  EXPECT_EQ(result.rows[0].plan.size(), 0u);
  EXPECT_EQ(result.rows[1].plan.size(), 2u);
  EXPECT_EQ(rel_l2_of(result.rows[2]), all);
  EXPECT_EQ(studies::sweep::choice_of(result.rows[0], result), "bound 1e-09");
  EXPECT_EQ(studies::sweep::choice_of(result.rows[2], result), "given");
  EXPECT_THAT(studies::sweep::to_text(result), ::testing::ContainsRegex("\nplan +given +y +2/2 "));
}

TEST(Sweep, SamplesWithOtherParamsAreCompiledAgain) {
  const studies::sweep::SweepOptions options{.precisions = {ir::passes::Precision::f32},
                                             .choices = {studies::sweep::Choice::bound}};
  const studies::sweep::SweepResult result = sweep_of({make_case(two_layers, 1), make_case(two_layers, 2)}, options);
  EXPECT_LT(rel_l2_of(result.rows[0]), 1e-6);
  const studies::sweep::SweepResult f16 = sweep_of(
      {make_case(two_layers, 1), make_case(two_layers, 2)},
      {.precisions = {ir::passes::Precision::f16acc32}, .choices = {studies::sweep::Choice::bound}, .budgets = {1e-2}});
  EXPECT_LT(rel_l2_of(f16.rows[0]), 1e-3);
  EXPECT_EQ(f16.rows[0].plan.size(), 2u);
}

TEST(Sweep, SamplesAreOfOneGraph) {
  EXPECT_THAT(
      [] {
        sweep_of({make_case(two_layers), make_case(testing::small_graph)}, studies::sweep::SweepOptions{});
      },
      ThrowsMessage<ir::Error>(HasSubstr("samples are of different graphs")));
}

}  // namespace
}  // namespace plumb::parity::sweep_samples_test
