// Programs as candidates: the ONNX models that they get, and the nodes that they are offered before anything runs.
#include <fstream>

#include "tests/parity/foreign/exec_fixture.hpp"

namespace plumb::exec_models_test {
namespace {

using namespace tests::exec;
using ::testing::HasSubstr;
using ::testing::Not;

class ExecModels : public Exec {};

/// A text file of an exchange that was kept.
std::string kept(const fs::path& keep, int number, const std::string& name) {
  std::ifstream file(keep / ("run-" + std::to_string(number)) / name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_F(ExecModels, AModelIsWrittenWhereTheUsersOwnIsNotWhatRuns) {
  const fs::path keep = folder_.path / "kept";
  std::string stored;
  bool can = true;
  const parity::foreign::OnnxWriter writer{
      .write =
          [&](const ir::Graph& graph, const ir::Feeds& params) {
            if (!can) throw ir::Unsupported("no ONNX operator for 'h' (unary)");
            for (const auto& [name, tensor] : params) stored += name;
            return "a model of " + std::to_string(graph.nodes().size());
          },
      .why_not = [&](const ir::Graph&, const ir::Node& node) { return can ? "" : "no operator for " + node.label; }};
  const auto candidate = open("onnx-only", {.keep = keep, .onnx = writer});
  const ir::Capture all{.wanted = graph_.results(), .surviving = true};
  EXPECT_EQ(run(*candidate, all).kind, "");
  EXPECT_EQ(kept(keep, 2, "model.onnx"), "a model of 2");
  EXPECT_THAT(kept(keep, 2, "request.json"), HasSubstr("\"onnx\": \"model.onnx\""));
  EXPECT_EQ(stored, "w");
  EXPECT_EQ(candidate->refusal(graph_, graph_.nodes()[0]), "");

  can = false;
  EXPECT_EQ(candidate->refusal(graph_, graph_.nodes()[0]), "no operator for h");
  const auto seen = run(*candidate, all);
  EXPECT_EQ(seen.kind + ": " + seen.message, "unsupported: no ONNX operator for 'h' (unary)");
  // A program that takes graphs as well has the graph alone then, and one that takes nothing else no model at all.
  const auto either = open("good", {.keep = keep, .onnx = writer});
  EXPECT_EQ(either->refusal(graph_, graph_.nodes()[0]), "");
  EXPECT_EQ(run(*either, all).kind, "");
  EXPECT_THAT(kept(keep, 4, "request.json"), Not(HasSubstr("onnx")));
  can = true;
  EXPECT_EQ(run("graph-only", {.keep = keep, .onnx = writer}).kind, "");
  EXPECT_FALSE(fs::exists(keep / "run-6" / "model.onnx"));
  EXPECT_TRUE(fs::exists(keep / "run-6" / "graph.json"));
}

TEST_F(ExecModels, NodesAreOfferedToOneThatSaysThatItAnswers) {
  const auto refusal = [&](const Candidate& candidate, std::size_t node) {
    return outcome_of([&]() -> ir::Tensors { throw ir::Unsupported(candidate.refusal(graph_, graph_.nodes()[node])); });
  };
  const auto asked = [&] {
    std::ifstream file(script_ + ".asked");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(refusal(*open("good"), 0).message, "");
  EXPECT_EQ(asked(), "");
  const auto candidate = open("supports-h");
  EXPECT_EQ(refusal(*candidate, 0).message, "because of the weather");
  EXPECT_EQ(refusal(*candidate, 1).message, "");
  EXPECT_EQ(asked(), "once\n");  // for each graph, not for each node
  const ir::Graph alone = ir::graph_of(graph_.nodes()[0].op, std::vector{graph_.type(0)}, "h");
  EXPECT_EQ(candidate->refusal(alone, alone.nodes()[0]), "because of the weather");
  EXPECT_EQ(asked(), "once\nonce\n");
  EXPECT_EQ(refusal(*open("supports-all"), 0).message, "");
  EXPECT_EQ(refusal(*open("supports-nothing"), 1).message, "no such graphs");

  const std::vector<Row> rows = {
      {"supports-nobody", "device", "gave a malformed answer: response.json: there is no node 'z'"},
      {"supports-silently", "device", "response.json: 'message' is missing"},
      {"supports-more", "device", "has no field 'why'"},
      {"supports-error", "device", "its status is 'error': out of paper"},
      {"supports-crashes", "device", "candidate 'exec' was ended by SIGSEGV"},
  };
  for (const Row& row : rows) {
    const auto seen = refusal(*open(row.how), 0);
    EXPECT_EQ(seen.kind, row.kind) << row.how;
    EXPECT_THAT(seen.message, HasSubstr(row.message)) << row.how;
  }
  EXPECT_THAT(outcome_of([&] { return open("supports-text"), ir::Tensors{}; }).message,
              HasSubstr("candidate: supports must be true or false"));
}

}  // namespace
}  // namespace plumb::exec_models_test
