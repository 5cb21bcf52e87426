// Attention and rotary embeddings, whose heads are packed into the last axis or have an axis of their own.

#include "ir/ops/attention.hpp"

#include <limits>

#include "ir/formats/onnx/compose/heads.hpp"
#include "ir/formats/onnx/compose/scores.hpp"
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/rope.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// [B, S, heads·D] as [B, heads, S, D]; what has four axes is so already.
Ref heads_in_front(NodeReader& node, Ref x, std::string_view attribute, std::string_view what) {
  const Shape shape = node.shape(x);
  const bool says_heads = node.attribute(attribute) != nullptr;
  if (shape.rank() == 4) return x;
  require(says_heads, "attribute '", attribute, "' is missing");
  require(shape.rank() == 3, what, " must have rank 3 or 4, got ", node.type(x));
  const auto heads = node.integer(attribute);
  require(heads >= 1 && shape[2] % heads == 0, what, " is ", node.type(x), " with ", heads, " heads");
  return with_heads_in_front(node, x, heads);
}

/// The mask with as many columns as there are keys: false, or −inf, behind those that it has. Before opset 24 one
/// column stood for all.
Ref full_mask(NodeReader& node, Ref mask, std::int64_t keys) {
  const Shape& shape = node.shape(mask);
  if (shape.empty() || shape.back() >= keys || (shape.back() == 1 && node.opset() < 24)) return mask;
  ops::Pad pad = pad_to_keys(shape, keys);
  pad.has_value = true;
  const DType dtype = node.dtype(mask);
  const double hidden = dtype == DType::boolean ? 0 : -std::numeric_limits<double>::infinity();
  return node.add(pad, {mask, node.scalar(dtype, hidden)});
}

/// Behind the keys and values that are kept from earlier steps come those of this one.
Ref with_past(NodeReader& node, std::size_t i, Ref x) {
  return node.has(i) ? node.add(ops::Concat{2}, {node.in(i), x}) : x;
}

/// Queries, keys and values with heads in front, of one dtype, and what restricts and weighs them.
AttentionParts read_parts(NodeReader& node) {
  AttentionParts parts{.q = heads_in_front(node, node.in(0), "q_num_heads", "Q"),
                       .k = heads_in_front(node, node.in(1), "kv_num_heads", "K"),
                       .v = heads_in_front(node, node.in(2), "kv_num_heads", "V")};
  require(node.has(4) == node.has(5), "past_key and past_value belong together");
  parts.k = with_past(node, 4, parts.k);
  parts.v = with_past(node, 5, parts.v);
  require(node.shape(parts.k).rank() == 4 && node.shape(parts.v).rank() == 4, "K is ", node.type(parts.k), ", V is ",
          node.type(parts.v));
  if (node.attribute("scale") != nullptr) parts.scale = node.real("scale");
  parts.softcap = node.real("softcap", 0);
  parts.causal = node.integer("is_causal", 0) != 0;
  parts.left = node.integer("left_window_size", -1);
  parts.right = node.integer("right_window_size", -1);
  const auto keys = node.shape(parts.k)[2];
  if (node.has(4)) parts.past = node.shape(node.in(4)).at(2);
  if (node.has(6)) parts.lengths = node.in(6);
  if (node.has(3)) {
    const Ref mask = full_mask(node, node.in(3), keys);
    (node.dtype(mask) == DType::boolean ? parts.mask : parts.bias) = mask;
  }
  return parts;
}

/// The wider of two floats, which holds the numbers of both.
DType wider(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  return DType::f32;
}

Ref attend(NodeReader& node, const AttentionParts& parts) {
  ops::Attention op{.scale = parts.scale,
                    .softcap = parts.softcap,
                    .causal = parts.causal,
                    .left_window_size = parts.left,
                    .right_window_size = parts.right,
                    .has_mask = parts.mask.has_value(),
                    .has_bias = parts.bias.has_value(),
                    .has_kv_lengths = parts.lengths.has_value()};
  if (!parts.lengths && parts.has_positions()) op.query_offset = parts.past;
  std::vector<Ref> operands = {parts.q, parts.k, parts.v};
  for (const auto& more : {parts.mask, parts.bias, parts.lengths})
    if (more) operands.push_back(*more);
  return node.add(op, operands);
}

void attention(NodeReader& node) {
  AttentionParts parts = read_parts(node);
  const DType given = node.dtype(parts.q), wide = wider(given, node.dtype(parts.v));
  if (node.wants(1)) node.out(1, parts.k);
  if (node.wants(2)) node.out(2, parts.v);
  for (Ref* x : {&parts.q, &parts.k, &parts.v}) *x = node.cast(*x, wide);
  if (parts.bias) parts.bias = node.cast(*parts.bias, wide);
  // The op has at least f32 within; a softmax in fewer digits than the operands have is spelled out.
  const auto named = node.integer("softmax_precision", 0);
  const DType precision = named == 0 ? wide : dtype_of(named);
  require(is_float(precision), "softmax_precision is ", precision);
  const bool is_narrow = unit_roundoff(precision) > unit_roundoff(wide);
  const auto mode = node.integer("qk_matmul_output_mode", 0);
  require(0 <= mode && mode <= 3, "qk_matmul_output_mode is ", mode);
  std::optional<Scores> scores;
  if (is_narrow || node.wants(3)) scores = scores_of(node, parts, precision);
  Ref y = is_narrow ? weighted_values(node, parts, scores->weights(node)) : attend(node, parts);
  y = node.cast(y, given);
  if (node.shape(node.in(0)).rank() == 3) y = with_heads_joined(node, y);
  node.out(0, y);
  if (node.wants(3)) node.out(3, node.cast(scores->stage(node, mode), given));
}

/// Turns pairs of coordinates of x by the angles of the tables, whose rows are those of `positions` where there are
/// any.
void rotate(NodeReader& node, ops::Rope op, Ref cos, Ref sin, std::optional<Ref> positions, std::int64_t heads) {
  const Ref x = node.in(0);
  const Shape shape = node.shape(x);
  require(shape.rank() == 3 || shape.rank() == 4, "x must have rank 3 or 4, got ", node.type(x));
  op.interleaved = node.integer("interleaved", 0) != 0;
  op.rotary_dim = node.integer("rotary_embedding_dim", 0);
  op.has_positions = positions.has_value();
  Ref apart = x;
  if (shape.rank() == 3) {
    require(heads >= 1 && shape[2] % heads == 0, "x is ", node.type(x), " with ", heads, " heads");
    op.layout = ops::RopeLayout::bshd;
    apart = node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  }
  std::vector<Ref> operands = {apart, cos, sin};
  if (positions) operands.push_back(*positions);
  node.out(0, node.reshape(node.add(op, operands), shape));
}

void rotary_embedding(NodeReader& node) {
  const bool is_packed = node.shape(node.in(0)).rank() == 3;
  const auto heads = node.integer("num_heads", 0);  // asked for where axes say it, too
  rotate(node, {}, node.in(1), node.in(2), node.maybe(3), is_packed ? heads : 0);
}

/// onnxruntime's own: positions come before the tables, one of them stands for the first token of all sequences.
void microsoft_rotary_embedding(NodeReader& node) {
  if (node.integer("is_packed_batching", 0) != 0) NodeReader::unsupported("rotates batches that are packed");
  if (node.real("scale", 1) != 1) NodeReader::unsupported("has a scale of ", node.real("scale", 1));
  const Shape& x = node.shape(node.in(0));
  const Ref cos = node.in(2), sin = node.in(3);
  auto heads = node.integer("num_heads", 0);
  if (x.rank() == 3 && heads == 0) {  // the tables say how wide a head is
    const Shape& table = node.shape(cos);
    require(node.integer("rotary_embedding_dim", 0) == 0, "rotary_embedding_dim without num_heads");
    require(table.rank() == 2 && table[1] >= 1, "cos_cache must have rank 2, got ", node.type(cos));
    heads = x[2] / (2 * table[1]);
  }
  Ref positions = node.in(1);
  if (node.shape(positions).elements() == 1) {
    const auto tokens = x[x.rank() == 3 ? 1 : 2];
    const Ref first = node.cast(node.reshape(positions, {1}), DType::i64);
    positions = node.add(ops::Binary{ops::BinaryFunction::add}, {first, steps_of(node, tokens)});
  }
  rotate(node, {}, cos, sin, positions, heads);
}

}  // namespace

std::span<const Converter> attention_converters() {
  static constexpr Converter table[] = {
      {"Attention", attention},
      {"RotaryEmbedding", rotary_embedding},
      {"com.microsoft.RotaryEmbedding", microsoft_rotary_embedding},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
