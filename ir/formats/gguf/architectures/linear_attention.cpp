// Linear attention by the gated delta rule: q, k and v through a causal convolution, then states of heads.
#include <cmath>

#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/causal_conv.hpp"
#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Rows [B, s, channels] of q, k and v, convolved along the tokens.
Value BlockNodes::convolved(const std::string& prefix, Value x, Value state, Value& next) {
  const ops::Transpose turn{.permutation = {0, 2, 1}};
  const std::int64_t channels = decoder_.linear.channels(), taps = decoder_.linear.taps;
  const Value by_channel = nodes_.add(prefix + "by_channel", turn, {nodes_.product(x, prefix + "attn_qkv")});
  const Value kernel =
      nodes_.reshape(prefix + "conv_kernel", nodes_.floats(prefix + "ssm_conv1d.weight"), {channels, 1, taps});
  const ops::CausalConv convolution{.activation = ops::CausalActivation::silu, .has_state = true};
  const auto made = nodes_.add_all(prefix + "convolved", convolution, {by_channel, kernel, state});
  next = made[1];
  return nodes_.add(prefix + "conv_rows", turn, {made[0]});
}

/// Heads [B, s, Hv, dk] of q or k, each of length 1, which go round until every head of values has one.
Value BlockNodes::unit_heads(const std::string& label, Value x) {
  const Linear& of = decoder_.linear;
  const auto length = static_cast<double>(of.length);
  const Value heads = by_head(label + "_heads", x, of.key_heads, of.length);
  const std::vector<float> scales(static_cast<std::size_t>(of.length), static_cast<float>(1 / std::sqrt(length)));
  const Value scale = nodes_.constant(label + "_scale", {of.length}, scales);
  const Value unit =
      nodes_.add(label + "_unit", ops::RmsNorm{.epsilon = decoder_.norm.epsilon / length}, {heads, scale});
  const std::int64_t rounds = of.value_heads / of.key_heads;
  return rounds == 1 ? unit : nodes_.add(label, ops::Tile{.repeats = {1, 1, rounds, 1}}, {unit});
}

/// The logarithms of the factors by which states decay, [B, s, Hv].
Value BlockNodes::decays(const std::string& prefix, Value x) {
  const Value open =
      nodes_.sum(prefix + "time_step", nodes_.product(x, prefix + "ssm_alpha"), nodes_.floats(prefix + "ssm_dt.bias"));
  const Value step = nodes_.add(prefix + "softplus", ops::Unary{.function = ops::UnaryFunction::softplus}, {open});
  return nodes_.times(prefix + "decay", step, nodes_.floats(prefix + "ssm_a"));
}

BlockNodes::Linearly BlockNodes::linear_attention(std::int64_t block, Value x, Value state, Value conv_state) {
  const std::string of = prefix(block);
  const Linear& linear = decoder_.linear;
  const std::int64_t keys = linear.key_heads * linear.length;
  Linearly made;
  const Value rows = convolved(of, x, conv_state, made.conv_state);
  const ops::Split cut{.axis = -1, .sizes = {keys, keys, linear.values()}};
  const auto parts = nodes_.add_all(of + "qkv", cut, {rows});
  const ops::Unary sigmoid{.function = ops::UnaryFunction::sigmoid};
  const Value beta = nodes_.add(of + "beta", sigmoid, {nodes_.product(x, of + "ssm_beta")});
  const Value q = unit_heads(of + "q", parts[0]), k = unit_heads(of + "k", parts[1]);
  const Value v = by_head(of + "v", parts[2], linear.value_heads, linear.length);
  const auto scanned =
      nodes_.add_all(of + "scanned", ops::GatedDeltaNet{.has_state = true}, {q, k, v, decays(of, x), beta, state});
  made.state = scanned[1];
  const Value normed = nodes_.norm(scanned[0], of + "ssm_norm", {.epsilon = decoder_.norm.epsilon});
  const Value gate = by_head(of + "gate_heads", nodes_.product(x, of + "attn_gate"), linear.value_heads, linear.length);
  const Value opened = nodes_.add(of + "gated", ops::Glu{.function = ops::GateFunction::silu}, {gate, normed});
  const Value joined = nodes_.reshape(of + "joined", opened, {batch_, tokens_, linear.values()});
  made.y = nodes_.product(joined, of + "ssm_out");
  return made;
}

}  // namespace plumb::ir::formats::gguf::architectures
