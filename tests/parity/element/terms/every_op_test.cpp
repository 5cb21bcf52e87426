// Every op that sums has terms that are walked (verdict.md V12), in every graph of fixtures that has it. Walkers that
// are written by hand give what follows from the element programs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ir/fill.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/op_list.hpp"
#include "ir/ops/complex_part.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "parity/element/terms/recorded.hpp"
#include "tests/parity/element/terms/same_terms.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::element::terms::every_op_test {
namespace {

using namespace ir::ops;

/// Whether elements of a result are bare sums. Roots and logarithms of sums, norms and attention have limits of their
/// own, into which their sums are not walked; the two squares of a complex number have one, too.
bool is_sum(const ir::Op& op) {
  if (op.is<GridSample>()) return op.as<GridSample>().mode != SampleMode::nearest;
  if (op.is<ComplexPart>()) return false;
  if (op.is<Reduce>() && op.as<Reduce>().function == ReduceFunction::l2) return false;
  return op.error_class() == ir::ErrorClass::dot && op.name() != "attention";
}

/// Whether an index of 0 means no expert, as there is none.
bool lacks_experts(const ir::Graph& graph, const ir::Node& node) {
  const bool has_bank = node.op.is<GroupedMatmul>() || node.op.is<DequantGroupedMatmul>();
  return has_bank && graph.type(node.inputs[1]).shape[0] == 0;
}

/// Operands of a node, floats drawn and all indices 0.
class Numbers {
 public:
  Numbers(const ir::Graph& graph, const ir::Node& node) {
    for (const ir::Value v : node.inputs) {
      const ir::TensorType& type = graph.type(v);
      const ir::TensorType wide{ir::DType::f64, type.shape};
      const ir::Fill how{.distribution = ir::Distribution::normal};
      values_.push_back(ir::is_float(type.dtype) ? ir::fill(wide, how, v, 1) : ir::Tensor(wide));
    }
    for (const ir::Tensor& x : values_) operands_.push_back({x.as<double>(), x.shape()});
  }
  std::span<const Operand> operands() const { return operands_; }

 private:
  std::vector<ir::Tensor> values_;
  std::vector<Operand> operands_;
};

/// Calls `visit` with every node of fixtures whose elements are bare sums of few enough numbers.
template <class Visit>
void for_each_sum(const Visit& visit) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures")) {
    if (entry.path().extension() != ".json" || entry.path().string().find("/invalid/") != std::string::npos) continue;
    const ir::Graph graph = ir::formats::read_graph(entry.path()).graph;
    for (const ir::Node& node : graph.nodes()) {
      const ir::TensorType& y = graph.type(node.outputs[0]);
      if (!ir::is_float(y.dtype) || y.shape.elements() == 0 || !is_sum(node.op) || lacks_experts(graph, node)) continue;
      bool is_small = true;
      for (const ir::Value v : node.inputs) is_small &= graph.type(v).shape.elements() < 1'000'000;
      if (is_small) visit(entry.path().filename().string() + ", node '" + node.label + "'", graph, node);
    }
  }
}

TEST(SumLimit, EveryOpWithSumsHasAWalker) {
  std::set<std::string_view> seen;
  for_each_sum([&](const std::string& where, const ir::Graph& graph, const ir::Node& node) {
    const Numbers numbers(graph, node);
    EXPECT_TRUE(find_walker(node.op, numbers.operands(), graph.type(node.outputs[0]).shape))
        << where << " (" << node.op.name() << ")";
    seen.insert(node.op.name());
  });
  EXPECT_GE(seen.size(), 14u);
}

/// Elements at both ends and in between are asked for.
TEST(RecordedTerms, AreThoseOfTheWalkersWrittenByHand) {
  std::set<std::string_view> seen;
  for_each_sum([&](const std::string& where, const ir::Graph& graph, const ir::Node& node) {
    if (!can_be_recorded(node.op)) return;
    const ir::Shape& y = graph.type(node.outputs[0]).shape;
    const Numbers numbers(graph, node);
    const auto walker = find_walker(node.op, numbers.operands(), y);
    const auto recorded = recorded_walker(node.op, numbers.operands(), y);
    if (!walker) return;
    ASSERT_TRUE(recorded) << where;
    const std::int64_t last = y.elements() - 1;
    for (const std::int64_t i : {std::int64_t{0}, last / 3, last / 2, last - last / 7, last}) {
      ElementSum by_hand, by_program;
      (*walker)(i, by_hand);
      (*recorded)(i, by_program);
      EXPECT_EQ(difference(node.op, by_hand, by_program), "") << where << ", element " << i;
    }
    seen.insert(node.op.name());
  });
  EXPECT_GE(seen.size(), 10u);
}

}  // namespace
}  // namespace plumb::parity::element::terms::every_op_test
