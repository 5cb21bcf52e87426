// Puts values where they lie into the calls of kernels.
#include "ref_cpu/step_calls.hpp"

namespace plumb::ref_cpu {

StepCalls::StepCalls(const HostProgram& program, const HostProgram::Layout& layout)
    : calls_(program.steps().size()), places_(layout.homes.size()), operands_(layout.homes.size()) {
  const ir::Graph& graph = program.graph();
  for (std::size_t s = 0; s < calls_.size(); ++s) {
    const ir::Node& node = graph.nodes()[program.steps()[s].node];
    calls_[s].inputs.resize(node.inputs.size());
    calls_[s].outputs.resize(node.outputs.size());
    for (const auto* values : {&node.inputs, &node.outputs})
      for (std::size_t i = 0; i < values->size(); ++i) {
        const ir::Value v = (*values)[i];
        const Operand operand{s, i, values == &node.outputs, graph.type(v)};
        operands_[layout.homes[v]].push_back(operand);
        if (operand.type.bytes() == 0) show(operand, {});  // wherever it lies
      }
  }
  for (ir::Value v = 0; v < layout.homes.size(); ++v)
    if (layout.homes[v] == v && !layout.places[v].bytes().empty()) place(v, layout.places[v].bytes());
  for (const auto& [v, view] : program.kept()) {
    // Kernels only read it: nothing is written over what is kept.
    place(v, {const_cast<std::byte*>(view.bytes().data()), view.bytes().size()});
  }
}

void StepCalls::place(ir::Value home, std::span<std::byte> bytes) {
  if (places_[home].data() == bytes.data()) return;
  for (const Operand& one : operands_[home]) show(one, bytes);
  places_[home] = bytes;
}

void StepCalls::show(const Operand& operand, std::span<std::byte> bytes) {
  Call& call = calls_[operand.step];
  if (operand.is_result)
    call.outputs[operand.at] = {operand.type, bytes};
  else
    call.inputs[operand.at] = {operand.type, bytes};
}

}  // namespace plumb::ref_cpu
