#include "parity/attribution/blame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/compare/difference.hpp"
#include "parity/core/segment.hpp"
#include "tests/parity/mixed_graph.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::blame_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

/// Two results: sum gets the errors of both abs nodes, alone that of the right one.
constexpr auto two_results = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[4]", "values": [1, 2, 4, 8]}, "y": {"type": "f32[4]", "values": [1, 2, 4, 8]}},
  "nodes": [{"label": "left", "op": "unary", "inputs": ["x"], "function": "abs"},
            {"label": "right", "op": "unary", "inputs": ["y"], "function": "abs"},
            {"label": "sum", "op": "binary", "inputs": ["left", "right"], "function": "add"},
            {"label": "alone", "op": "unary", "inputs": ["right"], "function": "negate"}],
  "results": ["sum", "alone"]})";

TEST(Blame, OfASumIsTheShareOfEachTerm) {
  Suspect suspect;
  suspect.tamper = [](const ir::Node& at, ir::Tensor& y) {
    const float error = at.label == "left" ? 0.25f : at.label == "right" ? 0.75f : 0;
    for (float& one : y.as<float>()) one += error;
  };
  const auto result = verify_on(suspect, make_case(two_results));
  EXPECT_EQ(node(result, "left").blame, (std::vector{0.25, 0.0}));
  EXPECT_EQ(node(result, "right").blame, (std::vector{0.75, 1.0}));
  EXPECT_EQ(attribution::blame_text(result),
            "error of sum: 75 % from right, 25 % from left\nerror of alone: 100 % from right\n");
}

TEST(Blame, IsMeasuredWhenACaseFailsOrSomebodyAsks) {
  const cases::Case subject = make_case(two_results);
  Suspect honest;
  for (const cases::NodeResult& one : verify_on(honest, subject).nodes) EXPECT_TRUE(one.blame.empty());
  EXPECT_EQ(verify_on(honest, subject, {.blame = 4}).nodes[0].blame.size(), 2u);
  auto wrong = spoiler("left", [](ir::Tensor& y) { y.as<float>()[0] = 2; });
  EXPECT_EQ(verify_on(wrong, subject).nodes[0].blame.at(0), 1);
  EXPECT_TRUE(verify_on(wrong, subject, {.blame = 0}).nodes[0].blame.empty());
  const auto isolated = verify_on(wrong, subject, {.mode = core::Mode::isolate, .blame = 4});
  EXPECT_TRUE(isolated.nodes[0].blame.empty());  // nothing was handed on
}

double sum_of_shares(const cases::CaseResult& result) {
  double sum = 0;
  for (const cases::NodeResult& one : result.nodes) sum += one.blame.at(0);
  return sum;
}

TEST(Blame, OfAllNodesOfAnHonestRunAddsUpToOne) {
  Suspect honest;
  EXPECT_NEAR(sum_of_shares(verify_on(honest, make_case(testing::mixed_graph()), {.blame = 100})), 1, 1e-3);
}

/// Keeps what the device made, in f64, by value.
class Device final : public cases::Observer {
 public:
  explicit Device(const ir::Graph& graph) : graph_(graph) {}
  void compared(const cases::NodeResult& result, const ir::TensorView&, const ir::TensorView& got) override {
    values.emplace(graph_.nodes()[result.node].outputs[result.output], ir::passes::widen(got));
  }
  ir::Tensors values;

 private:
  const ir::Graph& graph_;
};

/// The result of a graph of single outputs in f64, when the first nodes give what they gave on the device.
ir::Tensor result_after(const cases::Case& subject, const ir::Tensors& device, std::size_t first_nodes) {
  const ir::Graph& graph = subject.file->graph;
  ref_cpu::CpuExecutor reference;
  ir::Tensors values;
  for (ir::Value v = 0; graph.is_source(v); ++v) values.emplace(v, ir::passes::widen(ir::fed(graph, subject.feeds, v)));
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Value made = graph.nodes()[n].outputs[0];
    const auto read = [&](ir::Value v) { return values.at(v); };
    values.emplace(made, n < first_nodes
                             ? device.at(made)
                             : core::evaluate_widened(reference, core::segment_of(graph, n), read).outputs[0]);
  }
  return values.at(graph.results()[0]);
}

/// Another way to the same shares, to first order: let the device do one node more, and see by how much the result
/// moves from the truth to what it is on the device.
TEST(Blame, OfEveryNodeIsWhatTheResultMovesByWhenTheDeviceDoesIt) {
  Suspect honest;
  const cases::Case subject = make_case(testing::mixed_graph());
  Device device(subject.file->graph);
  const auto result = verify_on(honest, subject, {.blame = 100}, device);
  const compare::Difference error(result_after(subject, device.values, 0), result_after(subject, device.values, 100));
  ir::Tensor before = result_after(subject, device.values, 0);
  for (std::size_t n = 0; n < 100; ++n) {
    ir::Tensor after = result_after(subject, device.values, n + 1);
    EXPECT_NEAR(result.nodes[n].blame.at(0), compare::Difference(before, after).part_of(error), 1e-3)
        << result.nodes[n].label;
    before = std::move(after);
  }
}

TEST(Blame, FindsTheFaultyNodeAmongAHundred) {
  const cases::Case subject = make_case(testing::mixed_graph());
  for (const std::size_t n : {1u, 47u, 66u, 93u}) {
    const std::string& label = subject.file->graph.nodes()[n].label;
    auto suspect = spoiler(label, [](ir::Tensor& y) { *std::ranges::max_element(y.as<float>()) += 0.01f; });
    const auto result = verify_on(suspect, subject);
    EXPECT_NEAR(node(result, label).blame.at(0), 1, 0.02) << label;
    EXPECT_EQ(std::ranges::count_if(result.nodes, [](const cases::NodeResult& one) { return !one.blame.empty(); }), 4);
    EXPECT_NEAR(sum_of_shares(verify_on(suspect, subject, {.blame = 100})), 1, 1e-3) << label;
  }
}

/// A guilty node need not be why a result is wrong: a softmax that is sure of itself swallows what goes into it.
TEST(Blame, IsSmallWhereNothingArrives) {
  Suspect honest;
  const cases::Case subject = make_case(testing::mixed_graph());
  auto suspect = spoiler("2/conv", [](ir::Tensor& y) { *std::ranges::max_element(y.as<float>()) += 0.001f; });
  const auto result = verify_on(suspect, subject, {.blame = 100});
  EXPECT_EQ(cases::first_guilty(result)->label, "2/conv");
  EXPECT_NEAR(result.nodes.back().total.rms, verify_on(honest, subject).nodes.back().total.rms, 1e-8);
  EXPECT_LT(std::abs(node(result, "2/conv").blame.at(0)), 0.1);
  EXPECT_NEAR(sum_of_shares(result), 1, 1e-3);
}

/// The estimate that orders suspects puts those with the largest measured shares first, more or less.
TEST(Blame, SuspectsAreWhoHasLargeShares) {
  Suspect honest;
  const cases::Case subject = make_case(testing::mixed_graph());
  const auto all = verify_on(honest, subject, {.blame = 100}), few = verify_on(honest, subject, {.blame = 20});
  std::vector<double> sizes;
  double of_suspects = 0, of_all = 0;
  for (std::size_t n = 0; n < all.nodes.size(); ++n) {
    const double size = std::abs(all.nodes[n].blame.at(0));
    of_all += size;
    if (!few.nodes[n].blame.empty()) of_suspects += size;
  }
  EXPECT_GT(of_suspects, 0.5 * of_all);  // 20 of 100: by chance it would be a fifth
}

TEST(Blame, OfANanIsWhoMadeIt) {
  auto suspect = spoiler("left", [](ir::Tensor& y) { y.as<float>()[1] = NAN; });
  const auto result = verify_on(suspect, make_case(two_results));
  EXPECT_EQ(node(result, "left").blame.at(0), 1);
  EXPECT_TRUE(std::isnan(node(result, "left").blame.at(1)));  // alone has no error
}

TEST(WithError, AddsTheDifferenceWhateverTheType) {
  using ir::Tensor;
  const auto sum = compare::with_error(Tensor::of<double>({3}, {1, 2, 3}), Tensor::of<double>({3}, {1, INFINITY, 4}),
                                       Tensor::of<double>({3}, {1.5, INFINITY, NAN}));
  EXPECT_EQ(sum.as<double>()[0], 1.5);
  EXPECT_EQ(sum.as<double>()[1], 2);
  EXPECT_TRUE(std::isnan(sum.as<double>()[2]));
  const auto whole = compare::with_error(Tensor::of<std::int32_t>({1}, {7}), Tensor::of<std::int32_t>({1}, {9}),
                                         Tensor::of<std::int32_t>({1}, {8}));
  EXPECT_EQ(whole.as<std::int32_t>()[0], 6);
  const auto flag = compare::with_error(Tensor::of<bool>({2}, {true, true}), Tensor::of<bool>({2}, {true, false}),
                                        Tensor::of<bool>({2}, {false, false}));
  EXPECT_EQ(flag.as<bool>()[0], false);
  EXPECT_EQ(flag.as<bool>()[1], true);
}

}  // namespace
}  // namespace plumb::parity::blame_test
