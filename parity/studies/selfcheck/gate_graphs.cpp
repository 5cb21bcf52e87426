// Builds the gate's graphs, as texts of files.
#include "parity/studies/selfcheck/gate_graphs.hpp"

#include <cmath>

#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::parity::studies::selfcheck {
namespace {

ir::TensorType numbers(ir::Shape shape) { return {ir::DType::f32, std::move(shape)}; }

/// The weights of a product whose elements are as large as those of the other factor.
ir::Value weights(ir::formats::GraphFile& file, std::int64_t terms, std::int64_t columns) {
  const double scale = 1 / std::sqrt(static_cast<double>(terms));
  file.sources.emplace("w", ir::formats::Generated{.fill = {.scale = scale}});
  return file.graph.param("w", numbers({terms, columns}));
}

std::string text_to_pass() {
  ir::formats::GraphFile file;
  file.why = "plumb selfcheck: a graph that has to pass";
  const ir::Value x = file.graph.input("x", numbers({8, 64})), w = weights(file, 64, 48);
  const ir::Value scores = file.graph.add("product", ir::ops::Matmul{}, {x, w});
  file.graph.returns(file.graph.add(std::string(result_label), ir::ops::Softmax{}, {scores}));
  return ir::formats::write_graph(file);
}

std::string text_of_nothing() {
  ir::formats::GraphFile file;
  file.why = "plumb selfcheck: a graph without a node";
  file.graph.returns(file.graph.input("x", numbers({4})));
  return ir::formats::write_graph(file);
}

std::string text_of_faults() {
  ir::formats::GraphFile file;
  file.why = "plumb selfcheck: a node for every family of faults";
  ir::Graph& graph = file.graph;
  const ir::Value x = graph.input("x", numbers({2, 24, 32})), w = weights(file, 32, 48);
  const ir::Value bias = graph.param("b", numbers({48})), keys = graph.param("k", numbers({2, 1, 40, 48})),
                  values = graph.param("v", numbers({2, 1, 40, 48}));
  const ir::Value bare = graph.add("product", ir::ops::Matmul{}, {x, w});
  const ir::Value biased = graph.add("biased", ir::ops::Binary{.function = ir::ops::BinaryFunction::add}, {bare, bias});
  const ir::Value active = graph.add("active", ir::ops::Unary{.function = ir::ops::UnaryFunction::gelu}, {biased});
  const ir::Value heads = graph.add("heads", ir::ops::Reshape{.shape = {2, 1, 24, 48}}, {active});
  const ir::Value attended = graph.add("attended", ir::ops::Attention{}, {heads, keys, values});
  graph.returns(graph.add(std::string(result_label), ir::ops::Softmax{}, {attended}));
  return ir::formats::write_graph(file);
}

}  // namespace

const SmallCase& graph_to_pass() {
  static const std::string text = text_to_pass();
  static const SmallCase made{"selfcheck", text};
  return made;
}

const SmallCase& graph_of_nothing() {
  static const std::string text = text_of_nothing();
  static const SmallCase made{"nothing", text};
  return made;
}

const SmallCase& graph_of_faults() {
  static const std::string text = text_of_faults();
  static const SmallCase made{"faults", text};
  return made;
}

}  // namespace plumb::parity::studies::selfcheck
