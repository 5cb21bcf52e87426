#include "ir/ops/causal_conv.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The taps of a channel on its state and then on its chunk, zeros where there is no state; the bias behind them. Where
/// an activation follows, the element is no sum.
std::optional<Walker> walker(const ir::ops::CausalConv& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.activation != ir::ops::CausalActivation::none) return std::nullopt;
  const Operand x = operands[0], w = operands[1], bias = op.has_bias ? operands[2] : Operand{};
  const Operand state = op.has_state ? operands.back() : Operand{};
  const std::int64_t channels = y[1], length = y[2], taps = w.shape[2];
  return [=](std::int64_t index, ElementSum& sum) {
    const std::int64_t line = index / length, t = index % length, channel = line % channels;
    for (std::int64_t j = 0; j < taps; ++j) {
      const std::int64_t at = t + j - (taps - 1);  // in the chunk; before it the state is
      double met = 0;
      if (at >= 0)
        met = x.values[static_cast<std::size_t>(line * length + at)];
      else if (!state.values.empty())
        met = state.values[static_cast<std::size_t>(line * (taps - 1) + t + j)];
      sum.add(w.values[static_cast<std::size_t>(channel * taps + j)], met);
    }
    if (!bias.values.empty()) sum.added.push_back({1, bias.values[static_cast<std::size_t>(channel)]});
  };
}

}  // namespace plumb::parity::element::terms
