// Every op that sums has terms that are walked (verdict.md V12), in every graph of fixtures that has it.
#include <gtest/gtest.h>

#include <set>

#include "ir/formats/graph_file.hpp"
#include "ir/op_list.hpp"
#include "ir/ops/complex_part.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "parity/element/terms/terms.hpp"
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

TEST(SumLimit, EveryOpWithSumsHasAWalker) {
  std::set<std::string_view> seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures")) {
    if (entry.path().extension() != ".json" || entry.path().string().find("/invalid/") != std::string::npos) continue;
    const ir::Graph graph = ir::formats::read_graph(entry.path()).graph;
    for (const ir::Node& node : graph.nodes()) {
      const ir::TensorType& y = graph.type(node.outputs[0]);
      if (!ir::is_float(y.dtype) || y.shape.elements() == 0 || !is_sum(node.op)) continue;
      std::vector<std::vector<double>> zeros;
      std::vector<Operand> operands;
      bool is_small = true;
      for (const ir::Value v : node.inputs) is_small &= graph.type(v).shape.elements() < 1'000'000;
      if (!is_small) continue;
      for (const ir::Value v : node.inputs)
        zeros.emplace_back(static_cast<std::size_t>(graph.type(v).shape.elements()), 0.0);
      for (std::size_t i = 0; i < zeros.size(); ++i) operands.push_back({zeros[i], graph.type(node.inputs[i]).shape});
      EXPECT_TRUE(find_walker(node.op, operands, y.shape))
          << entry.path().filename() << ", node '" << node.label << "' (" << node.op.name() << ")";
      seen.insert(node.op.name());
    }
  }
  EXPECT_GE(seen.size(), 14u);
}

}  // namespace
}  // namespace plumb::parity::element::terms::every_op_test
