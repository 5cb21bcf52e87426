// GroupQueryAttention of com.microsoft: causal attention with its own projections of heads, rotations, cache and
// lengths; defined by the page of contributed operators of microsoft/onnxruntime.

#include <algorithm>
#include <array>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/heads.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/tensor_scatter.hpp"

namespace plumb::ir::from_onnx {
namespace {

enum GroupedInput : std::size_t {
  packed_or_query,
  new_key,
  new_value,
  past_key,
  past_value,
  last_keys,
  total_length,
  cos_cache,
  sin_cache,
  position_ids,
  attention_bias,
  head_sink,
  first_of_quantised
};

/// Heads in front, [B, H, S, D], and how long the sequences are.
struct GroupedHeads {
  Ref q = 0, k = 0, v = 0;
  Ref lengths = 0;         ///< i64 [B], keys in use with those of this step
  Ref earlier = 0;         ///< i64 [B], keys in use without them
  bool is_prompt = false;  ///< no key is of an earlier step, whatever the lengths are: rows behind them are padding
  std::optional<std::int64_t> total = {};
};

/// Some of the columns of x [B, S, C], as heads in front.
Ref heads_of_columns(NodeReader& node, Ref x, std::int64_t from, std::int64_t heads, std::int64_t width) {
  const Shape shape = node.shape(x);
  Ref columns = x;
  if (heads * width != shape[2])
    columns = node.add(ops::Slice{.axes = {2}, .starts = {from}, .sizes = {heads * width}, .steps = {}}, {x});
  return with_heads_in_front(node, columns, heads);
}

void refuse_what_no_graph_has(NodeReader& node) {
  if (node.wants(3)) NodeReader::unsupported("gives its scores out");
  for (const std::string_view name : {"k_quant_type", "v_quant_type"})
    if (const std::string type = node.text(name, "NONE"); type != "NONE")
      NodeReader::unsupported("attribute '", name, "' is ", type, ": its cache is quantised");
  if (const auto bits = node.integer("kv_cache_bit_width", 0); bits != 0)
    NodeReader::unsupported("has a cache of ", bits, " bits");
  for (std::size_t i = first_of_quantised; i < node.inputs(); ++i)
    if (node.has(i)) NodeReader::unsupported("has operand ", i, ", of quantised caches or norms of heads");
}

void read_lengths(NodeReader& node, GroupedHeads& heads) {
  const std::int64_t batch = node.shape(heads.q)[0], steps = node.shape(heads.q)[2];
  const auto plus = [&](Ref x, std::int64_t n) {
    return binary(node, ops::BinaryFunction::add, x, node.constant(std::vector<std::int64_t>{n}));
  };
  const Ref last = node.cast(node.in(last_keys), DType::i64);
  require(node.shape(last).elements() == batch, "seqlens_k is ", node.type(last), " for a batch of ", batch);
  heads.lengths = plus(node.reshape(last, {batch}), 1);
  heads.earlier = plus(heads.lengths, -steps);
  if (const Tensor* total = node.value(node.in(total_length)); total != nullptr && total->elements() == 1)
    heads.total = convert(*total, DType::i64).as<std::int64_t>()[0];
  heads.is_prompt = !node.has(past_key) || heads.total == steps;
  // A prompt's sequences may be shorter than its steps, and start at row 0 all the same. One sequence alone is as long
  // as the total says: what starts at lengths - steps is then right for a prompt, too.
  if (node.has(past_key) && !heads.total && steps > 1 && batch > 1)
    NodeReader::unsupported("total_sequence_length is not known while the model is read, and does not say whether ",
                            steps, " steps of ", batch, " sequences are a prompt");
}

GroupedHeads read_heads(NodeReader& node) {
  const auto heads = node.integer("num_heads"), kv_heads = node.integer("kv_num_heads");
  require(heads >= 1 && kv_heads >= 1 && heads % kv_heads == 0, "there are ", heads, " heads for ", kv_heads,
          " of keys");
  require(node.has(new_key) == node.has(new_value), "key and value belong together");
  require(node.has(past_key) == node.has(past_value), "past_key and past_value belong together");
  const Ref given = node.in(packed_or_query);
  const Shape shape = node.shape(given);
  const bool is_packed = !node.has(new_key);
  const auto all = is_packed ? heads + 2 * kv_heads : heads;
  require(shape.rank() == 3 && shape[2] % all == 0, "query is ", node.type(given), " with ", all, " heads");
  const std::int64_t width = shape[2] / all;
  GroupedHeads made;
  made.q = heads_of_columns(node, given, 0, heads, width);
  for (const std::size_t i : {new_key, new_value}) {
    const Ref x = is_packed ? given : node.in(i);
    const std::int64_t from = !is_packed ? 0 : (heads + (i == new_value ? kv_heads : 0)) * width;
    const Shape& other = node.shape(x);
    require(is_packed || other == Shape{shape[0], shape[1], kv_heads * width}, "query is ", node.type(given),
            ", key or value is ", node.type(x));
    (i == new_key ? made.k : made.v) = heads_of_columns(node, x, from, kv_heads, width);
  }
  read_lengths(node, made);
  return made;
}

/// Turns q and k by the rows of the tables that their positions say.
void rotate_heads(NodeReader& node, GroupedHeads& heads) {
  if (node.integer("do_rotary", 0) == 0) return;
  const Ref cos = node.in(cos_cache), sin = node.in(sin_cache);
  const Shape shape = node.shape(heads.q), &table = node.shape(cos);
  require(table.rank() == 2, "cos_cache must have rank 2, got ", node.type(cos));
  ops::Rope op{.interleaved = node.integer("rotary_interleaved", 0) != 0,
               .rotary_dim = 2 * table[1] == shape[3] ? 0 : 2 * table[1]};
  std::optional<Ref> positions = node.maybe(position_ids);
  if (!positions && !heads.is_prompt)
    positions =
        binary(node, ops::BinaryFunction::add, node.reshape(heads.earlier, {shape[0], 1}), steps_of(node, shape[2]));
  op.has_positions = positions.has_value();
  for (Ref* const x : {&heads.q, &heads.k}) {
    std::vector<Ref> operands = {*x, cos, sin};
    if (positions) operands.push_back(*positions);
    *x = node.add(op, operands);
  }
}

/// How many rows the keys with those of this step have: as many as there are keys at most, and none less than before.
std::int64_t rows_of_present(NodeReader& node, const GroupedHeads& heads, std::size_t i, std::int64_t steps) {
  const std::int64_t room = node.shape(node.in(i)).at(2);
  if (!heads.total) return node.declared_among(i - 2, 2, std::array{room + steps, room});
  require(*heads.total <= room + steps, "there are ", room, " keys of earlier steps and ", steps,
          " of this one, total_sequence_length is ", *heads.total);
  return std::max(room, *heads.total);
}

/// The keys, or values, of earlier steps with those of this one. Sequences of a batch may have fewer keys than their
/// cache has rows, so that new ones are written behind the keys in use even where the result is longer than the cache.
Ref with_cache(NodeReader& node, const GroupedHeads& heads, std::size_t i, Ref x) {
  if (!node.has(i)) return x;
  Ref cache = node.in(i);
  const std::int64_t room = node.shape(cache).at(2);
  if (const std::int64_t rows = rows_of_present(node, heads, i, node.shape(x)[2]); rows > room)
    cache = node.add(ops::Pad{.pads = {0, 0, 0, 0, 0, 0, rows - room, 0}}, {cache});
  if (heads.is_prompt) return node.add(ops::TensorScatter{.axis = 2}, {cache, x});
  return node.add(ops::TensorScatter{.axis = 2, .has_write_indices = true}, {cache, x, heads.earlier});
}

/// The bias of the scores, with zeros behind it for keys of a cache that are not in use.
Ref full_bias(NodeReader& node, std::int64_t keys) {
  const Ref bias = node.in(attention_bias);
  const Shape shape = node.shape(bias);
  if (shape.empty() || shape.back() >= keys) return bias;
  return node.add(pad_to_keys(shape, keys), {bias});
}

/// The scores beside those of the keys: given by head, or 0 where the softmax is smooth.
std::optional<Ref> sinks_of(NodeReader& node, DType dtype, std::int64_t heads) {
  const bool is_smooth = node.integer("smooth_softmax", 0) == 1;
  require(!is_smooth || !node.has(head_sink), "smooth_softmax and head_sink exclude each other");
  if (node.has(head_sink)) return node.cast(node.in(head_sink), dtype);
  return is_smooth ? std::optional(node.constant(Tensor({dtype, {heads}}))) : std::nullopt;
}

void grouped_query_attention(NodeReader& node) {
  refuse_what_no_graph_has(node);
  GroupedHeads heads = read_heads(node);
  rotate_heads(node, heads);
  const Ref k = with_cache(node, heads, past_key, heads.k), v = with_cache(node, heads, past_value, heads.v);
  if (node.wants(1)) node.out(1, k);
  if (node.wants(2)) node.out(2, v);
  const DType dtype = node.dtype(heads.q);
  const Shape q = node.shape(heads.q);
  const auto window = node.integer("local_window_size", -1);
  const double scale = node.real("scale", 0);
  const auto sinks = sinks_of(node, dtype, q[1]);
  ops::Attention op{.softcap = node.real("softcap", 0),
                    .causal = true,
                    .left_window_size = window > 0 ? window - 1 : -1,  // its window counts the query's own key
                    .has_bias = node.has(attention_bias),
                    .has_kv_lengths = true,
                    .has_sinks = sinks.has_value()};
  if (scale != 0) op.scale = scale;
  if (heads.is_prompt) op.query_offset = 0;
  std::vector<Ref> operands = {heads.q, k, v};
  if (op.has_bias) operands.push_back(node.cast(full_bias(node, node.shape(k)[2]), dtype));
  operands.push_back(heads.lengths);
  if (sinks) operands.push_back(*sinks);
  node.out(0, with_heads_joined(node, node.add(op, operands)));
}

}  // namespace

std::span<const Converter> grouped_attention_converters() {
  static constexpr Converter table[] = {{"com.microsoft.GroupQueryAttention", grouped_query_attention}};
  return table;
}

}  // namespace plumb::ir::from_onnx
