// Asks the oracles of a graph's ops, one after the other.
// Optimised: it loops over elements or terms.
#include "parity/element/oracle.hpp"

#include "parity/element/op_table.hpp"
#include "parity/element/stored.hpp"

namespace plumb::parity::element {
namespace {

using Definition = Number (*)(const ir::Op&, const Call&);

const ir::OpTable<Definition>& definitions() {
  static const auto all = Ops::table<Definition>([]<class T>() -> Definition {
    return [](const ir::Op& op, const Call& call) { return element(op.as<T>(), call); };
  });
  return all;
}

}  // namespace

Number element_of(const ir::Op& op, const Call& call) {
  const auto found = definitions().find(&op.schema());
  if (found == definitions().end()) throw NoAnswer{};
  return found->second(op, call);
}

std::vector<const ir::OpSchema*> ops_with_oracles() { return Ops::schemas(); }

Oracle::Oracle(const ir::Graph& graph, std::span<const ir::TensorView> inputs, std::int64_t work)
    : graph_(graph), inputs_(inputs), work_(work) {
  for (const ir::Node& node : graph.nodes()) {
    for (std::size_t k = 0; k < node.outputs.size(); ++k) sources_.emplace(node.outputs[k], Source{&node, k});
    std::vector<Operand>& operands = operands_[&node];
    for (const ir::Value v : node.inputs)
      if (graph.is_source(v))
        operands.push_back({&graph.type(v),
                            [this, &given = inputs_[v]](std::int64_t index) {
                              look_at(1);
                              return number_of(given, index);
                            },
                            &inputs_[v], [this](std::int64_t count) { look_at(count); }});
      else
        operands.push_back({&graph.type(v), [this, v](std::int64_t index) { return at(v, index); }});
  }
}

std::optional<Number> Oracle::element(ir::Value value, std::int64_t index) try {
  return at(value, index);
} catch (const NoAnswer&) {
  return std::nullopt;
}

void Oracle::look_at(std::int64_t count) {
  if (work_ >= count) return void(work_ -= count);
  work_ = -1;
  throw NoAnswer{};
}

Number Oracle::at(ir::Value value, std::int64_t index) {
  look_at(1);
  if (graph_.is_source(value)) return number_of(inputs_[value], index);
  auto& known = known_[value];
  if (const auto found = known.find(index); found != known.end()) return found->second;
  const Number y = evaluated(value, index);
  known.emplace(index, y);
  return y;
}

Number Oracle::evaluated(ir::Value value, std::int64_t index) {
  const auto [node, output] = sources_.at(value);
  const ir::TensorType& type = graph_.type(value);
  return element_of(node->op, Call(operands_.at(node), type, output, position_of(index, type.shape)));
}

}  // namespace plumb::parity::element
