// Errors in total of what --dtype stores otherwise are against the graph in the dtypes that it was written in, with
// inputs and weights as they were before they were rounded; those against the graph that runs stand beside them.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "ir/passes/widen.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/report/report.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/noise.hpp"

namespace plumb::parity::written_total_test {
namespace {

using ::testing::HasSubstr;
using testing::node;
using ::testing::Not;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;
namespace fs = std::filesystem;

/// Weights of 1e-7, of which f16 keeps none to two bits, behind a norm that makes them large again.
constexpr auto tiny_weights = R"({"format": "plumb.graph/1", "why": "weights that f16 keeps few bits of",
  "inputs": {"x": {"type": "f32[4, 64]"}},
  "params": {"w": {"type": "f32[64, 48]", "fill": {"distribution": "normal", "scale": 1e-7}}},
  "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "n", "op": "layer_norm", "inputs": ["h"], "axis": 1, "epsilon": 1e-30, "has_scale": false,
             "has_bias": false},
            {"label": "p", "op": "softmax", "inputs": ["n"]}],
  "results": ["p"]})";

/// Ops without a 16-bit form, a constant that is rounded, two outputs, integers.
constexpr auto mixed = R"({"format": "plumb.graph/1", "why": "what stays in f32 stands between casts",
  "inputs": {"x": {"type": "f32[3, 10]"}}, "params": {"b": {"type": "f32[3, 10]"}},
  "nodes": [{"label": "third", "op": "constant", "dtype": "f32", "shape": [1], "values": [0.333333343]},
            {"label": "a", "op": "binary", "inputs": ["x", "third"], "function": "multiply"},
            {"label": "s", "op": "rfft", "inputs": ["a"]},
            {"label": "r", "op": "complex_part", "inputs": ["s"], "function": "real"},
            {"label": "y", "op": "irfft", "inputs": ["s"], "n": 10},
            {"label": "z", "op": "binary", "inputs": ["y", "b"], "function": "add"},
            {"label": "t", "op": "top_k", "inputs": ["z"], "k": 3, "axis": -1}],
  "results": ["r", "z", "t"]})";

fs::path file_of(const char* text) {
  const auto path = fs::path(::testing::TempDir()) / "written_total.json";
  std::ofstream(path) << text;
  return path;
}

cases::Case loaded(const char* text, verify::FillOptions fill = {.dtype = ir::DType::f16}) {
  return verify::load_case(file_of(text), fill);
}

/// All values of the graph as the file has it, in f64, on what it feeds in f32.
ir::Tensors truth_of(const char* text) {
  const cases::Case plain = loaded(text, {});
  const ir::Graph& graph = plain.file->graph;
  ir::Feeds wide;
  for (const auto& [name, tensor] : plain.feeds) wide.emplace(name, ir::convert(tensor, ir::DType::f64));
  std::vector<ir::Value> all;
  for (const ir::Node& one : graph.nodes()) all.insert(all.end(), one.outputs.begin(), one.outputs.end());
  return ref_cpu::CpuExecutor().run(ir::passes::widen(graph), wide, all);
}

/// Sees what the candidate made.
class Seen final : public cases::Observer {
 public:
  void compared(const cases::NodeResult& result, const ir::TensorView&, const ir::TensorView& got) override {
    values.insert_or_assign(result.name(), ir::Tensor(got));
  }
  std::map<std::string, ir::Tensor> values;
};

double rel_l2(const ir::Tensor& truth, const ir::Tensor& got) {
  const ir::Tensor found = ir::convert(got, ir::DType::f64);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < truth.as<double>().size(); ++i) {
    error += std::pow(found.as<double>()[i] - truth.as<double>()[i], 2);
    norm += std::pow(truth.as<double>()[i], 2);
  }
  return std::sqrt(error / norm);
}

policy::Gate gate_of(const std::string& body) {
  return {.policy = policy::parse("schema = \"plumb-policy/1\"\n" + body, "p.toml"),
          .device = policy::device_facts("a device", "a driver", "1.0"),
          .today = policy::today()};
}

TEST(WrittenTotal, IsAgainstTheGraphBeforeItsWeightsWereRounded) {
  Suspect honest;
  Seen seen;
  const cases::CaseResult result = verify_on(honest, loaded(tiny_weights), {}, seen);
  const cases::NodeResult& p = node(result, "p");
  EXPECT_NEAR(p.total.rel_l2, 1.57e-1, 0.005e-1);
  EXPECT_NEAR(p.converted->rel_l2, 2.25e-2, 0.005e-2);
  const cases::Case plain = loaded(tiny_weights, {});
  const ir::Tensors truth = truth_of(tiny_weights);
  for (const char* name : {"h", "n", "p"})
    EXPECT_NEAR(node(result, name).total.rel_l2 / rel_l2(truth.at(*plain.file->graph.find(name)), seen.values.at(name)),
                1, 1e-9)
        << name;
}

/// The second group has the larger sum by less than f32 can tell, whatever the numbers are stored in.
TEST(WrittenTotal, IsNoneOfWhatFollowsDecisionsOfTheCandidate) {
  constexpr auto near_tie = R"({"format": "plumb.graph/1", "why": "groups within a rounding of each other",
    "inputs": {"scores": {"type": "f32[1, 4]", "values": [0.125, 0.25, 0.5, 0.375]},
               "routing": {"type": "f32[1, 4]", "values": [1, 0, 1, 5.9604644775390625e-8]}},
    "nodes": [{"label": "gate", "op": "group_limited_gate", "inputs": ["scores", "routing"], "num_groups": 2,
               "top_groups": 1, "top_k": 2},
              {"label": "behind", "op": "unary", "inputs": ["gate:1"], "function": "exp"}],
    "results": ["gate", "behind"]})";
  Suspect honest;
  const cases::CaseResult result = verify_on(honest, loaded(near_tie));
  EXPECT_EQ(node(result, "gate").units.decisions.free, 2u);
  for (const char* name : {"gate:1", "behind"}) {
    EXPECT_FALSE(node(result, name).converted) << name;
    EXPECT_LT(node(result, name).total.max_abs.value, 2e-3) << name << ": of other experts it would be 0.1";
  }
}

TEST(WrittenTotal, IsNearWhatRoundingTheOperandsAloneCosts) {
  Suspect honest;
  const double stored = node(verify_on(honest, loaded(tiny_weights)), "p").total.rel_l2;
  const auto operands = verify_on(honest, loaded(tiny_weights, {.precision = "f16acc32"}));
  EXPECT_NEAR(stored, node(operands, "p").total.rel_l2, 0.1 * stored);
  EXPECT_FALSE(node(operands, "p").converted);
}

TEST(WrittenTotal, NoVerdictOfANodeHangsOnIt) {
  Suspect honest;
  cases::Case alone = loaded(tiny_weights), both = alone;
  alone.as_written.reset();
  for (const core::Mode mode : {core::Mode::attribute, core::Mode::propagate, core::Mode::isolate}) {
    const auto without = verify_on(honest, alone, {.mode = mode}), with = verify_on(honest, both, {.mode = mode});
    ASSERT_EQ(without.nodes.size(), with.nodes.size());
    for (std::size_t n = 0; n < with.nodes.size(); ++n) {
      const cases::NodeResult &one = without.nodes[n], &other = with.nodes[n];
      EXPECT_EQ(one.verdict, other.verdict) << one.name();
      EXPECT_EQ(one.why, other.why);
      EXPECT_EQ(one.gates_total, other.gates_total);
      if (one.hash) {
        EXPECT_EQ(one.gated().rel_l2, other.gated().rel_l2);
      }
      if (one.gates_total) {
        EXPECT_EQ(one.gated().ratio(), other.gated().ratio());
      }
      EXPECT_FALSE(one.converted);
      EXPECT_EQ(other.hash.has_value(), other.converted.has_value());
    }
  }
}

TEST(WrittenTotal, IsOfEveryValueThatTheGraphHadAndOfNoCast) {
  Suspect honest;
  Seen seen;
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16}) {
    const cases::CaseResult result = verify_on(honest, loaded(mixed, {.dtype = dtype}), {}, seen);
    const cases::Case plain = loaded(mixed, {});
    const ir::Tensors truth = truth_of(mixed);
    for (const cases::NodeResult& one : result.nodes)
      EXPECT_EQ(one.total.n > 0, !one.name().ends_with(".f32")) << one.name();
    for (const char* name : {"third", "a", "r", "y", "z", "t"})
      EXPECT_NEAR(
          node(result, name).total.rel_l2 / rel_l2(truth.at(*plain.file->graph.find(name)), seen.values.at(name)), 1,
          1e-9)
          << name;
    EXPECT_GT(node(result, "third").total.rel_l2, 1e-5);  // a constant that is rounded
    EXPECT_EQ(node(result, "third.f32").local.max_abs.value, 0);
  }
}

TEST(WrittenTotal, AnOutputBudgetIsHeldByIt) {
  Suspect honest;
  const auto verdict = [&](const std::string& limit) {
    const policy::Gate gate = gate_of("[output]\np = { " + limit + " }\n");
    return node(verify_on(honest, loaded(tiny_weights), {.gate = &gate}), "p").verdict;
  };
  EXPECT_EQ(verdict("rel_l2 = 3e-2"), core::Verdict::failed);  // the error against the converted graph is 2.25e-2
  EXPECT_EQ(verdict("rel_l2 = 2e-1"), core::Verdict::passed);
  EXPECT_EQ(verdict("snr_db = 30"), core::Verdict::failed);
  const policy::Gate rule =
      gate_of("[[rule]]\nid = \"r\"\nmatch = { node = \"p\" }\npart = \"total\"\nrequire = { rel_l2 = 3e-2 }\n");
  EXPECT_EQ(node(verify_on(honest, loaded(tiny_weights), {.gate = &rule}), "p").verdict, core::Verdict::failed);
}

TEST(WrittenTotal, WhatOverflowsInTheNarrowTypeIsWrong) {
  constexpr auto squares = R"({"format": "plumb.graph/1", "why": "the square of 300 is no f16",
    "inputs": {"x": {"type": "f32[3]", "values": [1, 300, 2]}},
    "nodes": [{"label": "y", "op": "binary", "inputs": ["x", "x"], "function": "multiply"}], "results": ["y"]})";
  Suspect honest;
  const cases::CaseResult result = verify_on(honest, loaded(squares));
  EXPECT_EQ(node(result, "y").converted->n_bad, 0u);  // it rounds to infinity, as f16 has it
  EXPECT_EQ(node(result, "y").total.n_inf_differ, 1u);
  const policy::Gate gate = gate_of("[output]\ny = { rel_l2 = 1 }\n");
  EXPECT_EQ(node(verify_on(honest, loaded(squares), {.gate = &gate}), "y").verdict, core::Verdict::failed);
}

TEST(WrittenTotal, IsNotKnownWhereTheGraphAsItWasRefusesItsInputs) {
  constexpr auto rounded_index = R"({"format": "plumb.graph/1", "why": "2049 is 2048 in f16, which is an index",
    "inputs": {"x": {"type": "f32[1]", "values": [2049]}}, "params": {"table": {"type": "f32[2049]"}},
    "nodes": [{"label": "i", "op": "cast", "inputs": ["x"], "to": "i32"},
              {"label": "y", "op": "gather", "inputs": ["table", "i"], "axis": 0}], "results": ["y"]})";
  Suspect honest;
  const cases::CaseResult result = verify_on(honest, loaded(rounded_index));
  EXPECT_EQ(node(result, "y").verdict, core::Verdict::passed);
  EXPECT_EQ(node(result, "y").total.n, 0u);
  EXPECT_EQ(node(result, "i").total.n_bad, 1u);
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("no total: the graph as it was refuses its inputs: ")));
  const policy::Gate gate = gate_of("[output]\ny = { rel_l2 = 1 }\n");
  EXPECT_EQ(node(verify_on(honest, loaded(rounded_index), {.gate = &gate}), "y").verdict, core::Verdict::error);
}

TEST(WrittenTotal, NumbersThatAreMadeForTheNarrowTypeAreNotRounded) {
  const cases::Case subject =
      loaded(testing::small_graph, {.dtype = ir::DType::f16, .kind = core::FillKind::adversarial});
  ASSERT_TRUE(subject.as_written);
  for (const auto& [name, tensor] : subject.feeds) {
    const ir::Tensor wide = ir::convert(tensor, ir::DType::f32);
    EXPECT_TRUE(std::ranges::equal(wide.bytes(), subject.as_written->feeds.at(name).bytes())) << name;
  }
}

TEST(WrittenTotal, NeedsMemoryOfItsOwn) {
  const auto problem = [](std::optional<ir::DType> dtype, std::uint64_t budget) {
    return tests::message_of([&] { loaded(tiny_weights, {.dtype = dtype, .memory_budget = budget}); });
  };
  const auto needed = static_cast<std::uint64_t>(verify::memory_needed(loaded(tiny_weights, {}).file->graph));
  EXPECT_EQ(problem(std::nullopt, needed + 1), "");
  EXPECT_THAT(problem(ir::DType::f16, needed + 1), HasSubstr("of memory, at most"));
}

TEST(WrittenTotal, IsSaidBelowTheTable) {
  Suspect honest;
  const std::string text = report::to_table(verify_on(honest, loaded(tiny_weights)), report::Detail::worst);
  EXPECT_THAT(
      text, HasSubstr("total of p: rel_l2 1.57e-01 against the graph as it was, rel_l2 2.25e-02 against it in f16\n"));
  EXPECT_THAT(report::to_table(verify_on(honest, loaded(tiny_weights, {})), report::Detail::worst),
              Not(HasSubstr("total of")));
}

}  // namespace
}  // namespace plumb::parity::written_total_test
