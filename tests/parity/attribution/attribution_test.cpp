#include "parity/attribution/attribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "ir/passes/widen.hpp"
#include "tests/parity/mixed_graph.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::attribution_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

std::string first_of(const cases::CaseResult& result) {
  const cases::NodeResult* guilty = cases::first_guilty(result);
  return guilty == nullptr ? "" : guilty->name();
}

// ---- who is guilty

/// Changes of an output by faulty kernels.
using Spoil = void (*)(std::span<float>);

constexpr Spoil faults[] = {
    [](std::span<float> y) { *std::ranges::max_element(y) += 0.01f; },
    [](std::span<float> y) { std::swap(*std::ranges::max_element(y), *std::ranges::min_element(y)); },
    [](std::span<float> y) { std::ranges::fill(y.last(y.size() / 8), 0.0f); },
    [](std::span<float> y) {
      for (float& one : y) one *= 1.001f;
    },
    [](std::span<float> y) { y[y.size() / 2] = NAN; },
};

TEST(FirstGuilty, IsTheFaultyNodeOfAHundredInFiftyPlacementsOfFifty) {
  const cases::Case subject = make_case(testing::mixed_graph());
  const auto& nodes = subject.file->graph.nodes();
  ASSERT_EQ(nodes.size(), 100u);
  Suspect honest;
  const auto clean = verify_on(honest, subject);
  EXPECT_EQ(first_of(clean), "") << attribution::guilty_text(clean);
  int right = 0;
  for (std::size_t k = 0; k < 50; ++k) {
    const std::string& label = nodes[7 * k % 100].label;  // every place in a block meets every fault
    auto suspect = spoiler(label, [&](ir::Tensor& y) { faults[k / 10](y.as<float>()); });
    const auto result = verify_on(suspect, subject);
    right += first_of(result) == label;
    EXPECT_EQ(first_of(result), label) << "fault " << k / 10 << ": " << attribution::guilty_text(result);
    EXPECT_EQ(std::ranges::count(result.nodes, core::Verdict::failed, &cases::NodeResult::verdict), 1) << label;
  }
  EXPECT_EQ(right, 50);
}

using Kept = std::map<std::string, std::vector<std::byte>>;

/// Keeps what every node gives, by label.
void keep(Suspect& suspect, Kept& kept) {
  suspect.tamper = [&kept, spoil = suspect.tamper](const ir::Node& at, ir::Tensor& y) {
    spoil(at, y);
    kept[at.label].assign(y.bytes().begin(), y.bytes().end());
  };
}

/// A fault inside of a kernel of several nodes: the kernel is guilty, and says whose work it has (verdict.md V1). Where
/// the stored values are the same with the fault and without, as behind a tanh that is 1 either way, there is none.
TEST(FirstGuilty, NamesTheFusedGroupOfTheFaultyNodeInFiftyPlacementsOfFifty) {
  const cases::Case subject = make_case(testing::mixed_graph());
  const auto& nodes = subject.file->graph.nodes();
  const auto ends_block = [&](std::size_t n) { return nodes[n].label.ends_with("/out"); };  // may be read twice
  std::vector<std::size_t> inner;
  for (std::size_t n = 1; n + 1 < nodes.size(); ++n)
    if (!ends_block(n) && !ends_block(n - 1)) inner.push_back(n);
  Suspect honest;
  Kept without_fault, with_fault;
  keep(honest, without_fault);
  verify_on(honest, subject);
  int planted = 0, right = 0;
  for (std::size_t k = 0; planted < 50; ++k) {
    ASSERT_LT(k, inner.size());
    const std::size_t n = inner[7 * k % inner.size()];
    const std::string &before = nodes[n - 1].label, &label = nodes[n].label, &stored = nodes[n + 1].label;
    auto suspect = spoiler(label, [&](ir::Tensor& y) { faults[planted / 10](y.as<float>()); });
    suspect.fused = {before, label};
    suspect.describe = [&](const ir::Node& node, ir::NodeReport& report) {
      if (report.placement == ir::Placement::fused) report.kernel = node.label == before ? label : stored;
    };
    keep(suspect, with_fault);
    const auto result = verify_on(suspect, subject);
    if (with_fault.at(stored) == without_fault.at(stored)) continue;
    const std::string said = attribution::guilty_text(result);
    const bool is_right = first_of(result) == stored && said.find(" with " + before + ", " + label + " fused") < 80;
    EXPECT_TRUE(is_right) << "fault " << planted / 10 << " in " << label << ": " << said;
    right += is_right;
    ++planted;
  }
  EXPECT_EQ(right, 50);
}

TEST(FirstGuilty, IsNamedWithWhatItDidAndWhoInheritsIt) {
  auto suspect = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] += 1e-3f; });
  auto result = verify_on(suspect, make_case(small_graph));
  EXPECT_THAT(attribution::guilty_text(result),
              ::testing::MatchesRegex("scores \\(matmul\\): its own error is [0-9.e+]+ times its "
                                      "bound; [34] after it only inherit"));
  suspect.tamper = [](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "turned" || at.label == "back") y.as<float>()[3] += 0.25f;
  };
  result = verify_on(suspect, make_case(small_graph));
  EXPECT_THAT(attribution::guilty_text(result), HasSubstr("turned (transpose): it has to be exact, and is not; "));
  EXPECT_THAT(attribution::guilty_text(result), HasSubstr("; 1 after it is guilty, too"));
  suspect = spoiler("weights", [](ir::Tensor& y) { y.as<float>()[3] = NAN; });
  EXPECT_THAT(attribution::guilty_text(verify_on(suspect, make_case(small_graph))),
              HasSubstr("it gives nan where its inputs make "));
}

// ---- the split

/// Checks of every element that the parts of its error add up, the truth of the whole graph being known.
class Adds final : public cases::Observer {
 public:
  explicit Adds(const cases::Case& subject) {
    const ir::Graph& graph = subject.file->graph;
    ir::Feeds feeds;
    for (const auto& [name, tensor] : subject.feeds) feeds.emplace(name, ir::passes::widen(tensor));
    whole_ = ref_cpu::CpuExecutor().compile(ir::passes::widen(graph), feeds, {graph.results(), true})->run(feeds);
    for (const ir::Node& node : graph.nodes()) outputs_.push_back(node.outputs);
  }

  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override {
    if (result.type.dtype != ir::DType::f32) return;
    const ir::Tensor wide = ir::passes::widen(got);
    const auto x = whole_.at(outputs_[result.node][result.output]).as<double>();
    const auto y = truth.as<double>(), c = wide.as<double>();
    double largest[3] = {};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double local = c[i] - y[i], inherited = y[i] - x[i], total = c[i] - x[i];
      unequal += std::bit_cast<std::uint64_t>(local + inherited) != std::bit_cast<std::uint64_t>(total);
      inexact += !is_exact(c[i], y[i]) || !is_exact(y[i], x[i]) || !is_exact(c[i], x[i]);
      carried += inherited != 0;
      ++elements;
      largest[0] = std::max(largest[0], std::abs(local));
      largest[1] = std::max(largest[1], std::abs(inherited));
      largest[2] = std::max(largest[2], std::abs(total));
    }
    // Outputs that have to be rounded correctly are compared with the truth, rounded.
    if (result.allowed.rule == compare::Allowed::Rule::within) {
      EXPECT_EQ(result.local.max_abs.value, largest[0]) << result.label;
    }
    EXPECT_EQ(result.inherited.max_abs.value, largest[1]) << result.label;
    EXPECT_EQ(result.total.max_abs.value, largest[2]) << result.label;
  }

  std::size_t elements = 0, unequal = 0, inexact = 0, carried = 0;

 private:
  /// Sterbenz: the difference of numbers within a factor of two of each other is exact.
  static bool is_exact(double a, double b) { return a == b || (a / b >= 0.5 && a / b <= 2); }

  ir::Tensors whole_;
  std::vector<std::vector<ir::Value>> outputs_;  ///< by node
};

TEST(Attribution, LocalAndInheritedAddUpToTotalInEveryBit) {
  Suspect honest;
  const cases::Case subject = make_case(testing::mixed_graph());
  Adds adds(subject);
  verify_on(honest, subject, {}, adds);
  EXPECT_GT(adds.elements, 5000u);
  EXPECT_GT(adds.carried, adds.elements / 2);
  EXPECT_EQ(adds.inexact, 0u);  // so that bits may be asked for
  EXPECT_EQ(adds.unequal, 0u);
}

// ---- amplification

TEST(Amplification, IsTheRelativeErrorInheritedOverThatOfTheInputs) {
  const double inputs[] = {3e-6, 4e-6};
  EXPECT_DOUBLE_EQ(attribution::amplification(1e-5, inputs), 2);
  EXPECT_TRUE(std::isnan(attribution::amplification(0, {})));
  EXPECT_TRUE(std::isnan(attribution::amplification(1e-5, std::array{0.0, 0.0})));
  EXPECT_TRUE(std::isnan(attribution::amplification(1e-5, std::array{1e-6, double{NAN}})));
}

/// The sum is a hundredth of its terms, so that it enlarges the relative error of one a hundred times; a square
/// doubles.
constexpr auto cancelling = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[5]", "values": [1, 2, 3, 4, 5]},
             "shift": {"type": "f32[5]", "values": [-0.99, -1.98, -2.97, -3.96, -4.95]}},
  "nodes": [{"label": "same", "op": "unary", "inputs": ["x"], "function": "abs"},
            {"label": "sum", "op": "binary", "inputs": ["same", "shift"], "function": "add"},
            {"label": "square", "op": "binary", "inputs": ["sum", "sum"], "function": "multiply"}],
  "results": ["square"]})";

TEST(Amplification, OfACancellationIsItsConditionNumber) {
  auto suspect = spoiler("same", [](ir::Tensor& y) {
    for (float& one : y.as<float>()) one *= 1 + 1e-4f;
  });
  const auto result = verify_on(suspect, make_case(cancelling));
  EXPECT_TRUE(std::isnan(node(result, "same").amplification));
  EXPECT_NEAR(node(result, "sum").amplification, 100, 0.1);
  EXPECT_NEAR(node(result, "square").amplification, 2, 0.02);
}

}  // namespace
}  // namespace plumb::parity::attribution_test
