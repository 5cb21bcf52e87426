// Attention, rotary embeddings and recurrent networks.
#include <algorithm>
#include <limits>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/rope.hpp"

namespace plumb::ir::to_onnx {
namespace {

/// [a, b, c, d] as [a, c, b, d].
std::string heads_turned(NodeWriter& node, DType dtype, const std::string& x) {
  std::string y = node.between();
  node.add("Transpose", dtype, {x}, {y}).integers("perm", {0, 2, 1, 3});
  return y;
}

/// Writes what has heads in front: `write` gets the name of the first result, which is turned where heads are behind.
template <class Write>
void with_heads_in_front(NodeWriter& node, bool are_behind, DType dtype, const Write& write) {
  node.cast_result(0, dtype, [&](const std::string& y) {
    if (!are_behind) return write(y);
    const std::string turned = node.between();
    write(turned);
    node.add("Transpose", dtype, {turned}, {y}).integers("perm", {0, 2, 1, 3});
  });
}

/// Whether every row of a mask or bias leaves a key to see.
bool leaves_keys(const Tensor& mask) {
  const bool is_bias = mask.dtype() != DType::boolean;
  const Tensor wide = convert(mask, DType::f64);
  const auto all = wide.as<double>();
  const auto row = static_cast<std::size_t>(mask.shape().back());
  const auto is_seen = [&](double x) { return is_bias ? x > -std::numeric_limits<double>::infinity() : x != 0; };
  for (std::size_t at = 0; at < all.size(); at += row)
    if (std::ranges::none_of(all.subspan(at, row), is_seen)) return false;
  return true;
}

/// Throws NoOperator for what ONNX's Attention has not, or computes in another way: a query that sees no key gives 0
/// here and NaN there, and a softcap is applied there to masked scores, too.
void require_attention(const ops::Attention& op, NodeWriter& node, const ops::Attention::Extents& n) {
  const std::int64_t first = op.query_offset.value_or(n.Sk - n.Sq);
  const bool has_mask = op.has_mask || op.has_bias;
  if (op.has_kv_lengths) NodeWriter::refuse("its keys have lengths, which may be 0");
  if (op.has_sinks) NodeWriter::refuse("it has sinks");
  if (op.left_window_size >= 0 || op.right_window_size >= 0) NodeWriter::refuse("it has a window");
  if (op.causal && first != 0) NodeWriter::refuse("its first query has position ", first, ", which is 0 in ONNX");
  if ((op.causal || has_mask) && op.softcap > 0)
    NodeWriter::refuse("ONNX applies its softcap to scores that are masked, too");
  if (has_mask && (op.causal || (op.has_mask && op.has_bias))) NodeWriter::refuse("it is masked in two ways");
  if (!has_mask) return;
  const Shape& mask = node.shape(3);
  if (mask.rank() < 2 || mask.back() != n.Sk || n.Sk == 0)
    NodeWriter::refuse("its mask is ", node.type(3), ", and ONNX wants a column for each of ", n.Sk, " keys");
  node.require_known(3, leaves_keys,
                     "queries that see no key give 0, and NaN in ONNX; it is not known that each of them sees one");
}

/// Weights are rounded to 16 bits there unless all is in f32.
void write_attention(const ops::Attention& op, NodeWriter& node) {
  require_attention(op, node, op.extents(node.shape(0), node.shape(1), node.shape(2)));
  const DType dtype = node.compute_dtype();
  const bool are_behind = op.layout == ops::AttentionLayout::bshd;
  Names operands;
  for (std::size_t i = 0; i < 3; ++i)
    operands.push_back(are_behind ? heads_turned(node, dtype, node.wide(i)) : node.wide(i));
  if (node.inputs() > 3) operands.push_back(node.wide(3));
  with_heads_in_front(node, are_behind, dtype, [&](const std::string& y) {
    const Attributes made = node.add("Attention", dtype, operands, {y});
    made.integer("is_causal", op.causal ? 1 : 0);
    if (op.scale) made.real("scale", *op.scale);
    if (op.softcap > 0) made.real("softcap", op.softcap);
    if (dtype == DType::f64) made.integer("softmax_precision", onnx_type(dtype));
  });
}

/// A table of positions as one for each sequence of a batch: rows from the offset on, as often as there are sequences.
std::string table_of_batch(const ops::Rope& op, NodeWriter& node, std::size_t i) {
  const Shape& x = node.shape(0);
  const Shape& table = node.shape(i);
  if (op.has_positions || table.rank() == 3) return node.in(i);
  const std::int64_t rows = op.sequence(x);
  std::string cut = node.between(), all = node.between();
  node.add(
      "Slice",
      {node.in(i), node.stored(Numbers{op.offset}), node.stored(Numbers{op.offset + rows}), node.stored(Numbers{0})},
      {cut});
  node.add("Expand", {cut, node.stored(Numbers{x[0], rows, table[1]})}, {all});
  return all;
}

void write_rope(const ops::Rope& op, NodeWriter& node) {
  if (op.inverse) NodeWriter::refuse("it rotates back");
  const DType dtype = node.dtype();
  const Shape& x = node.shape(0);
  const bool are_behind = op.layout == ops::RopeLayout::bshd;
  Names operands = {are_behind ? heads_turned(node, dtype, node.in(0)) : node.in(0), table_of_batch(op, node, 1),
                    table_of_batch(op, node, 2)};
  if (op.has_positions) {
    operands.push_back(node.as_i64(3));
    if (node.shape(3).rank() == 1) {
      const std::string all = node.between();
      node.add("Expand", DType::i64, {operands.back(), node.stored(Numbers{x[0], op.sequence(x)})}, {all});
      operands.back() = all;
    }
  }
  with_heads_in_front(node, are_behind, dtype, [&](const std::string& y) {
    node.add("RotaryEmbedding", operands, {y})
        .integer("interleaved", op.interleaved ? 1 : 0)
        .integer("rotary_embedding_dim", op.rotary_dim);
  });
}

std::string activation_word(kernels::RecurrentActivation activation) {
  using kernels::RecurrentActivation;
  switch (activation) {
    case RecurrentActivation::sigmoid:
      return "Sigmoid";
    case RecurrentActivation::tanh:
      return "Tanh";
    case RecurrentActivation::relu:
      return "Relu";
    case RecurrentActivation::hard_sigmoid:
      return "HardSigmoid";
    case RecurrentActivation::softsign:
      return "Softsign";
    case RecurrentActivation::softplus:
      return "Softplus";
    case RecurrentActivation::identity:
      break;
  }
  NodeWriter::refuse("one of its functions is ", enum_name(activation));
}

/// Adds the operands and attributes that all kinds have. Operands that are left out have no name, and lengths are i32.
template <class Op>
Attributes add_recurrent(const Op& op, NodeWriter& node, std::string_view name,
                         std::initializer_list<kernels::RecurrentActivation> functions) {
  const kernels::RecurrentOperands at = kernels::recurrent_operands(op);
  Names operands = {node.in(0), node.in(1), node.in(2)};
  const auto add = [&](std::optional<std::size_t> i) { operands.push_back(i ? node.in(*i) : ""); };
  add(at.bias);
  operands.push_back(at.lengths ? node.cast(node.in(*at.lengths), node.type(*at.lengths).dtype, DType::i32) : "");
  add(at.initial_h);
  add(at.initial_c);
  add(at.peephole);
  while (operands.back().empty()) operands.pop_back();
  Names results, words;
  for (std::size_t k = 0; k < node.outputs(); ++k) results.push_back(node.out(k));
  for (std::int64_t d = 0; d < node.shape(1)[0]; ++d)
    for (const auto function : functions) words.push_back(activation_word(function));
  Attributes made = node.add(name, operands, results);
  made.integer("hidden_size", node.shape(2).back())
      .text("direction", enum_name(op.direction))
      .texts("activations", words);
  if (op.clip) made.real("clip", *op.clip);
  return made;
}

void write_rnn(const ops::Rnn& op, NodeWriter& node) { add_recurrent(op, node, "RNN", {op.activation}); }

void write_gru(const ops::Gru& op, NodeWriter& node) {
  add_recurrent(op, node, "GRU", {op.gate_activation, op.hidden_activation})
      .integer("linear_before_reset", op.linear_before_reset ? 1 : 0);
}

void write_lstm(const ops::Lstm& op, NodeWriter& node) {
  if (op.cell_states) NodeWriter::refuse("it gives the cell of every step");
  if (op.clip) NodeWriter::refuse("ONNX does not say whether its clip bounds the cell, too");
  add_recurrent(op, node, "LSTM", {op.gate_activation, op.cell_activation, op.hidden_activation})
      .integer("input_forget", op.input_forget ? 1 : 0);
}

}  // namespace

std::span<const Writer> sequence_writers() {
  static constexpr Writer table[] = {
      writer<ops::Attention, write_attention>, writer<ops::Gru, write_gru>,
      writer<ops::Lstm, write_lstm>,           writer<ops::Rnn, write_rnn>,
      writer<ops::Rope, write_rope>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
