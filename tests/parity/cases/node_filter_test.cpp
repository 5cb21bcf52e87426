// Nodes that are chosen by labels and ops.
#include "parity/cases/node_filter.hpp"

#include <gmock/gmock.h>

#include "ir/error.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto chain = R"({
  "format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[2, 2]"}},
  "nodes": [
    {"label": "block0.product", "op": "matmul", "inputs": ["x", "x"]},
    {"label": "block0.weights", "op": "softmax", "inputs": ["block0.product"]},
    {"label": "block1.product", "op": "matmul", "inputs": ["block0.weights", "x"]},
    {"label": "block1.weights", "op": "log_softmax", "inputs": ["block1.product"]}
  ],
  "results": ["block1.weights"]
})";

std::vector<std::string> taken(const NodeFilter& filter) {
  const Case made = plumb::testing::make_case(chain);
  std::vector<std::string> labels;
  for (const ir::Node& node : made.file->graph.nodes())
    if (filter.takes(node)) labels.push_back(node.label);
  return labels;
}

TEST(NodeFilter, TakesAllWithoutAWord) {
  EXPECT_TRUE(NodeFilter().takes_all());
  EXPECT_EQ(taken(NodeFilter()).size(), 4u);
  EXPECT_FALSE(NodeFilter("block").takes_all());
}

TEST(NodeFilter, TakesLabelsAndLeavesOutOthers) {
  NodeFilter filter("^block1");
  EXPECT_THAT(taken(filter), ElementsAre("block1.product", "block1.weights"));
  filter.skip("product$");
  EXPECT_THAT(taken(filter), ElementsAre("block1.weights"));
}

TEST(NodeFilter, TakesOpsByGlobsOverTheirWholeNames) {
  const auto of_ops = [](std::vector<std::string> globs) {
    NodeFilter filter;
    filter.take_ops(globs);
    return taken(filter);
  };
  EXPECT_THAT(of_ops({"softmax"}), ElementsAre("block0.weights"));
  EXPECT_THAT(of_ops({"*softmax"}), ElementsAre("block0.weights", "block1.weights"));
  EXPECT_THAT(of_ops({"log_?oftmax", "mat*"}), ElementsAre("block0.product", "block1.product", "block1.weights"));
  EXPECT_THAT(of_ops({"soft"}), IsEmpty());
  EXPECT_THAT(of_ops({"s.ftmax"}), IsEmpty());  // no regular expression
}

TEST(NodeFilter, RefusesWhatIsNoRegularExpression) {
  EXPECT_THROW(NodeFilter("("), ir::Error);
  EXPECT_THROW(NodeFilter().skip("["), ir::Error);
}

}  // namespace
}  // namespace plumb::parity::cases
