#pragma once

#include <array>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/recurrent.hpp"

/// The lowering of rnn, gru and lstm: one product of all inputs with W, and then one dispatch for all steps, or
/// some for each.
namespace plumb::gpu_vulkan::kernels::recurrent {

/// An op of the three, as far as they are alike.
struct Description {
  ir::kernels::RecurrentExtents n;
  ir::kernels::RecurrentOperands operands;
  ir::kernels::RecurrentDirection direction;
  std::optional<double> clip;
  ir::kernels::RecurrentActivation gate, cell, hidden;
  bool input_forget, cell_states, linear_before_reset;
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
                   .cell_states = false,
                   .linear_before_reset = false};
  if constexpr (requires { op.activation; }) {
    made.gate = made.cell = made.hidden = op.activation;
  } else {
    made.gate = op.gate_activation;
    made.cell = made.hidden = op.hidden_activation;
    if constexpr (requires { op.cell_activation; }) {
      made.cell = op.cell_activation;
      made.input_forget = op.input_forget;
      made.cell_states = op.cell_states;
    }
    if constexpr (requires { op.linear_before_reset; }) made.linear_before_reset = op.linear_before_reset;
  }
  return made;
}

/// The dispatches of a node. States go back and forth between two slots, in what is computed in.
class Steps {
 public:
  /// Multiplies the inputs and writes the first states.
  Steps(const Description& op, plan::Lowering& node);

  std::int64_t count() const { return op_.n.steps; }
  /// Whether R fits the registers of a workgroup, so that one dispatch walks all steps: of a sequence and direction
  /// each.
  bool are_resident() const;
  /// The states that step `s` goes on from, and those that it makes.
  plan::Slot before(std::int64_t s) const { return states_[static_cast<std::size_t>(s % 2)]; }
  plan::Slot after(std::int64_t s) const { return before(s + 1); }
  plan::Slot cell() const { return cell_; }
  /// Room for one number for each element of the states.
  plan::Slot scratch() const;

  /// Adds the dispatch of all steps: what they read beside the operands of all recurrences, and what they write.
  void dispatch_resident(std::string_view shader, const std::vector<plan::Slot>& reads, std::vector<plan::Slot> writes);

  /// Adds a dispatch of step `s`, which multiplies `multiplied` with R: what every step reads, and these.
  void dispatch(std::string_view shader, std::int64_t s, plan::Slot multiplied, const std::vector<plan::Slot>& reads,
                std::vector<plan::Slot> writes);

 private:
  struct Tile;
  void multiply_inputs();
  void begin();
  Tile tile() const;
  Tile fitted(Tile tile) const;
  void dispatch(plan::Shader shader, std::int64_t s, std::int64_t groups, plan::Slot multiplied,
                const std::vector<plan::Slot>& reads, std::vector<plan::Slot> writes);

  const Description op_;
  plan::Lowering& node_;
  const ir::DType dtype_, computed_;
  plan::Slot inputs_, lengths_, cell_;
  std::array<plan::Slot, 2> states_;
};

}  // namespace plumb::gpu_vulkan::kernels::recurrent
