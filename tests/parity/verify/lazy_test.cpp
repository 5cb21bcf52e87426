// Nodes that are judged are evaluated as often as they have to be (verdict.md V79).
#include <gtest/gtest.h>

#include <map>

#include "library/reference.hpp"
#include "parity/core/parallel.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::lazy_test {
namespace {

/// A reference that counts how often it evaluates a node on whole operands, by label.
class Counting final : public ir::Executor {
 public:
  std::map<std::string, int> runs;

  std::string_view name() const override { return "counting"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return reference_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return std::make_unique<Program>(*this, graph, reference_.compile(graph, params, capture));
  }

 private:
  class Program final : public ir::Executable {
   public:
    Program(Counting& counting, const ir::Graph& graph, std::unique_ptr<ir::Executable> made)
        : counting_(counting), made_(std::move(made)) {
      for (const ir::Node& node : graph.nodes())
        if (counting.whole_.contains(node.label) &&
            graph.type(node.outputs[0]).shape.elements() == counting.whole_.at(node.label))
          labels_.push_back(node.label);
    }
    ir::Tensors run(const ir::Feeds& inputs) override {
      for (const std::string& label : labels_) ++counting_.runs[label];
      return made_->run(inputs);
    }
    std::vector<ir::NodeReport> nodes() const override { return made_->nodes(); }

   private:
    Counting& counting_;
    std::vector<std::string> labels_;
    std::unique_ptr<ir::Executable> made_;
  };

 public:
  /// Counts these nodes, where all of their elements are made.
  explicit Counting(const ir::Graph& graph) {
    for (const ir::Node& node : graph.nodes()) whole_[node.label] = graph.type(node.outputs[0]).shape.elements();
  }

 private:
  ref_cpu::CpuExecutor reference_ = library::reference_executor(1);
  std::map<std::string, std::int64_t> whole_;
};

std::map<std::string, int> runs_of(testing::Suspect& suspect, const cases::Case& subject) {
  const core::ThreadLimit one(1);  // counts are kept without a lock
  Counting counting(subject.file->graph);
  cases::Observer nobody;
  const cases::Executors executors{.reference = counting, .candidate = &suspect, .why_not = ""};
  const auto result = verify::verify(subject, executors, {}, nobody);
  EXPECT_EQ(result.verdict, core::Verdict::passed) << result.message;
  return counting.runs;
}

TEST(Lazy, NothingIsEvaluatedTwice) {
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1", "why": "products behind each other",
    "inputs": {"x": {"type": "f32[64, 128]"}},
    "params": {"w": {"type": "f32[128, 64]"}, "v": {"type": "f32[64, 96]"}},
    "nodes": [{"label": "first", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "second", "op": "matmul", "inputs": ["first", "v"]},
              {"label": "moved", "op": "transpose", "inputs": ["second"], "permutation": [1, 0]}],
    "results": ["moved"]})");
  testing::Suspect honest;
  const auto runs = runs_of(honest, subject);
  // A node fed with inputs of the graph has one truth, which is that of the whole graph, too; one fed with computed
  // values has two. Limits, oracles, samples and statistics ask for no more.
  EXPECT_EQ(runs.at("first"), 1);
  EXPECT_EQ(runs.at("second"), 2);
  EXPECT_EQ(runs.at("moved"), 2);
}

}  // namespace
}  // namespace plumb::parity::lazy_test
