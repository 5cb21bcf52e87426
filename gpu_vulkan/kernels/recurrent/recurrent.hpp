#pragma once

#include <array>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/recurrent.hpp"

/// What rnn, gru and lstm are lowered to: one product of all inputs with W, and then dispatches for each step.
namespace plumb::gpu_vulkan::kernels::recurrent {

/// An op of the three, as far as they are alike.
struct Description {
  ir::kernels::RecurrentExtents n;
  ir::kernels::RecurrentOperands operands;
  ir::kernels::RecurrentDirection direction;
  std::optional<double> clip;
  ir::kernels::RecurrentActivation gate, cell, hidden;
  bool input_forget, cell_states;
};

template <class T>
Description description_of(const T& op, const plan::Lowering& node) {
  const ir::TensorTypes in = {node.in_type(0), node.in_type(1), node.in_type(2)};
  Description made{.n = ir::kernels::recurrent_extents(op, in),
                   .operands = ir::kernels::recurrent_operands(op),
                   .direction = op.direction,
                   .clip = op.clip,
                   .gate = {},
                   .cell = {},
                   .hidden = {},
                   .input_forget = false,
                   .cell_states = false};
  if constexpr (requires { op.activation; }) {
    made.gate = made.cell = made.hidden = op.activation;
  } else {
    made.gate = op.gate_activation, made.cell = made.hidden = op.hidden_activation;
    if constexpr (requires { op.cell_activation; })
      made.cell = op.cell_activation, made.input_forget = op.input_forget, made.cell_states = op.cell_states;
  }
  return made;
}

/// The dispatches of a node. States go back and forth between two slots, in what is computed in.
class Steps {
 public:
  /// Multiplies the inputs and writes the first states.
  Steps(const Description& op, plan::Lowering& node);

  std::int64_t count() const { return op_.n.steps; }
  /// The states that step `s` goes on from, and those that it makes.
  plan::Slot before(std::int64_t s) const { return states_[static_cast<std::size_t>(s % 2)]; }
  plan::Slot after(std::int64_t s) const { return before(s + 1); }
  plan::Slot cell() const { return cell_; }
  /// Room for one number for each element of the states.
  plan::Slot scratch() const;

  /// Adds a dispatch of step `s`, which multiplies `multiplied` with R: what every step reads, and these.
  void dispatch(std::string_view shader, std::int64_t s, plan::Slot multiplied, std::vector<plan::Slot> reads,
                std::vector<plan::Slot> writes);

 private:
  void multiply_inputs();
  void begin();

  const Description op_;
  plan::Lowering& node_;
  const ir::DType dtype_, computed_;
  plan::Slot inputs_, lengths_, cell_;
  std::array<plan::Slot, 2> states_;
};

}  // namespace plumb::gpu_vulkan::kernels::recurrent
