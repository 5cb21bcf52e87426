// The part of a result that is held until all cases have been run: no numbers of tensors, one graph for many seeds.
#include "parity/report/kept_result.hpp"

#include <gtest/gtest.h>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::kept_result_test {
namespace {

using testing::make_case;
using testing::Suspect;
using testing::verify_on;

/// y = (x w) b: x and w are given, x in decimals that no f32 is, of x w it is said what it is, and b is generated.
constexpr auto given_graph = R"({"format": "plumb.graph/1", "why": "numbers of every kind",
  "inputs": {"x": {"type": "f32[1, 2]", "values": [0.1, 2]}, "b": {"type": "f32[1, 2]"}},
  "params": {"w": {"type": "f32[2, 2]", "values": [1, 0, 0, 1]}},
  "nodes": [{"label": "p", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "y", "op": "binary", "inputs": ["p", "b"], "function": "multiply"}],
  "results": {"p": {"values": [0.1, 2]}, "y": {}}})";

cases::CaseResult result_of(std::string_view graph, std::uint64_t seed) {
  Suspect honest;
  return verify_on(honest, make_case(graph, seed));
}

bool holds_a_tensor(const ir::formats::GraphFile& file) {
  const auto is_tensor = [](const auto& source) { return std::holds_alternative<ir::Tensor>(source.second); };
  return std::ranges::any_of(file.sources, is_tensor) || !file.expected.empty() || !file.given_outputs.empty() ||
         !file.decimals.last_digits.empty() || !file.decimals.written.empty();
}

TEST(KeptResult, HoldsNoTensor) {
  cases::CaseResult result = result_of(given_graph, 1);
  const auto as_read = result.subject.file;
  ASSERT_TRUE(holds_a_tensor(*as_read));
  ASSERT_FALSE(as_read->decimals.written.empty());
  report::let_go_of_numbers(result, nullptr);
  EXPECT_FALSE(holds_a_tensor(*result.subject.file));
  EXPECT_TRUE(result.subject.feeds.empty());
  EXPECT_EQ(result.subject.expectation, nullptr);
  EXPECT_EQ(result.subject.as_written, nullptr);
  for (const cases::NodeResult& node : result.nodes) EXPECT_EQ(node.allowed.limits, nullptr) << node.label;
  EXPECT_EQ(ir::formats::graph_json(result.subject.file->graph), ir::formats::graph_json(as_read->graph));
  EXPECT_EQ(result.subject.file->why, as_read->why);
  EXPECT_EQ(as_read.use_count(), 1);  // nobody else holds what was read
}

TEST(KeptResult, SeedsOfOneGraphHoldOneFile) {
  cases::CaseResult first = result_of(given_graph, 1), second = result_of(given_graph, 2),
                    other = result_of(testing::small_graph, 1);
  report::let_go_of_numbers(first, nullptr);
  report::let_go_of_numbers(second, &first);
  EXPECT_EQ(second.subject.file, first.subject.file);
  report::let_go_of_numbers(other, &second);
  EXPECT_NE(other.subject.file, second.subject.file);
  EXPECT_EQ(other.subject.file->graph.nodes().size(), 5u);
  cases::CaseResult unread;
  report::let_go_of_numbers(unread, &other);
  EXPECT_EQ(unread.subject.file, nullptr);
}

TEST(KeptResult, GraphsThatDifferInOneThingAreNotTheSame) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(given_graph);
    text.replace(text.find(from), from.size(), to);
    return ir::formats::parse_graph(text, ".").graph;
  };
  const ir::Graph graph = with("numbers of", "tensors of");
  EXPECT_TRUE(report::is_same(graph, with("numbers of", "numbers for")));
  EXPECT_TRUE(report::is_same(graph, with("[1, 0, 0, 1]", "[1, 0, 0, 2]")));  // a param is no part of its graph
  EXPECT_FALSE(report::is_same(graph, with(R"("multiply")", R"("add")")));
  EXPECT_FALSE(report::is_same(graph, with(R"(["p", "b"])", R"(["b", "p"])")));
  EXPECT_FALSE(report::is_same(graph, with(R"(, "y": {})", "")));
  EXPECT_FALSE(report::is_same(graph, with(R"("b": {"type": "f32[1, 2]"})", R"("b": {"type": "f32[2]"})")));
  EXPECT_FALSE(report::is_same(graph, with(R"("label": "p", "op": "matmul", "inputs": ["x", "w"]})",
                                           R"("label": "p", "op": "matmul", "inputs": ["b", "w"]})")));
}

}  // namespace
}  // namespace plumb::parity::kept_result_test
