// The graph of a run of tokens over caches, line by line as ops.md J.4 has it.
#include "ir/formats/gguf/architectures/prefill.hpp"

#include <cstring>

#include "ir/formats/gguf/architectures/nodes.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/glu.hpp"
#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/tensor_scatter.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

template <class T>
ops::Constant constant_of(Shape shape, const std::vector<T>& values) {
  ops::Constant constant{
      .dtype = dtype_of<T>, .shape = {shape.begin(), shape.end()}, .data = Bytes(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(constant.data.data(), values.data(), constant.data.size());
  return constant;
}

const ops::Binary sum_of{.function = ops::BinaryFunction::add};
const ops::Binary product_of{.function = ops::BinaryFunction::multiply};

class Prefill {
 public:
  Prefill(const Decoder& decoder, const Weights& weights, const BlockRange& blocks, const Options& options)
      : decoder_(decoder), weights_(weights), blocks_(blocks), options_(options), nodes_(file_.graph, weights) {}

  GraphFile build() {
    declare_inputs();
    weights_.declare(file_);
    positions();
    Value x = nodes_.rows("embeddings", "token_embd", nodes_.input("tokens"));
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) x = block(i, x);
    if (!options_.has_all_logits)
      x = nodes_.add("last", ops::Slice{.axes = {1}, .starts = {options_.prompt_tokens - 1}, .sizes = {1}, .steps = {}},
                     {x});
    x = nodes_.norm(x, "output_norm", decoder_.epsilon);
    const bool is_tied = !weights_.has("output.weight");
    file_.graph.returns(nodes_.product("logits", x, is_tied ? "token_embd" : "output"));
    for (const Value cache : caches_) file_.graph.returns(cache);
    return std::move(file_);
  }

 private:
  Shape cache_shape(std::int64_t heads, std::int64_t columns) const {
    return {options_.batch, heads, options_.rows(), columns};
  }

  void declare_inputs() {
    const std::int64_t batch = options_.batch, vocabulary = weights_.at("token_embd.weight").shape[0];
    file_.graph.input("tokens", {DType::i32, {batch, options_.prompt_tokens}});
    file_.graph.input("write_at", {DType::i32, {batch}});
    file_.sources.emplace("write_at", Tensor({DType::i32, {batch}}));
    if (options_.tokens.empty()) {
      const Fill ids{.distribution = Distribution::uniform_int, .low = 0, .high = static_cast<double>(vocabulary)};
      file_.sources.emplace("tokens", Generated{ids});
    } else {
      const std::vector<std::int32_t> ids(options_.tokens.begin(), options_.tokens.end());
      file_.sources.emplace("tokens", Tensor::of({batch, options_.prompt_tokens}, ids));
    }
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) {
      const std::int64_t heads = decoder_.kv_heads[static_cast<std::size_t>(i)];
      file_.graph.input(cat("cache_k.", i), {DType::f32, cache_shape(heads, decoder_.key_length)});
      file_.graph.input(cat("cache_v.", i), {DType::f32, cache_shape(heads, decoder_.value_length)});
    }
  }

  /// Positions [B, s], how many keys are in use, and the rotary tables.
  void positions() {
    const std::int64_t batch = options_.batch, tokens = options_.prompt_tokens;
    const Value at = nodes_.input("write_at");
    const Value steps = nodes_.add("steps", ops::Range{.count = tokens, .dtype = DType::i32}, {});
    positions_ = nodes_.add("positions", sum_of, {nodes_.reshape("first_positions", at, {batch, 1}), steps});
    const Value length = nodes_.add("length", constant_of<std::int32_t>({}, {static_cast<std::int32_t>(tokens)}), {});
    kv_lengths_ = nodes_.add("kv_lengths", sum_of, {at, length});
    const bool has_divisors = decoder_.has_rotary_divisors && weights_.has("rope_freqs.weight");
    const auto divisors = has_divisors ? weights_.numbers("rope_freqs.weight") : std::vector<double>();
    const RotaryTables tables = rotary_tables(decoder_.rotary, divisors, options_.rows());
    const Shape shape{options_.rows(), decoder_.rotary.columns / 2};
    cosines_ = nodes_.add("rope_cos", constant_of(shape, tables.cosines), {});
    sines_ = nodes_.add("rope_sin", constant_of(shape, tables.sines), {});
  }

  Value rotated(const std::string& label, Value x) {
    const ops::Rope rope{
        .interleaved = decoder_.is_interleaved, .rotary_dim = decoder_.rotary.columns, .has_positions = true};
    return nodes_.add(label, rope, {x, cosines_, sines_, positions_});
  }

  /// A product cut into heads, [B, heads, s, columns]; `norm` is none where it is empty.
  Value heads(const std::string& prefix, const std::string& name, Value x, std::int64_t count, std::int64_t columns,
              bool is_normed) {
    const std::string tensor = prefix + "attn_" + name;
    Value y = nodes_.reshape(prefix + name + "_heads", nodes_.product(x, tensor),
                             {options_.batch, options_.prompt_tokens, count, columns});
    if (is_normed) y = nodes_.norm(y, tensor + "_norm", decoder_.epsilon);
    return nodes_.exchange(prefix + name, y);
  }

  Value written(const std::string& cache, Value rows) {
    const ops::TensorScatter scatter{.axis = -2, .has_write_indices = true};
    const Value next = nodes_.add(cache + ".next", scatter, {nodes_.input(cache), rows, nodes_.input("write_at")});
    caches_.push_back(next);
    return next;
  }

  Value attention(std::int64_t i, const std::string& prefix, Value x) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t key = decoder_.key_length, value = decoder_.value_length;
    const bool is_normed = decoder_.has_head_norms;
    const Value q = rotated(prefix + "q_rope", heads(prefix, "q", x, decoder_.heads[k], key, is_normed));
    const Value keys = rotated(prefix + "k_rope", heads(prefix, "k", x, decoder_.kv_heads[k], key, is_normed));
    const Value values = heads(prefix, "v", x, decoder_.kv_heads[k], value, false);
    const Value cache_k = written(cat("cache_k.", i), keys), cache_v = written(cat("cache_v.", i), values);
    const ops::Attention attend{.scale = decoder_.score_scale, .causal = true, .has_kv_lengths = true};
    const Value y = nodes_.add(prefix + "attended", attend, {q, cache_k, cache_v, kv_lengths_});
    const Value rows = nodes_.reshape(prefix + "joined", nodes_.exchange(prefix + "by_token", y),
                                      {options_.batch, options_.prompt_tokens, decoder_.heads[k] * value});
    return nodes_.product(rows, prefix + "attn_output");
  }

  Value gated(const std::string& prefix, Value gate, Value up) {
    return nodes_.add(prefix + "ffn_glu", ops::Glu{.function = ops::GateFunction::silu}, {gate, up});
  }

  Value dense(const std::string& prefix, Value x) {
    const Value gate = nodes_.product(x, prefix + "ffn_gate"), up = nodes_.product(x, prefix + "ffn_up");
    return nodes_.product(gated(prefix, gate, up), prefix + "ffn_down");
  }

  /// The MoE block of ops.md F.1.
  Value experts(const std::string& prefix, Value x) {
    const Experts& of = decoder_.experts;
    const std::int64_t rows = options_.batch * options_.prompt_tokens, d = decoder_.width;
    const Value flat = nodes_.reshape(prefix + "ffn_rows", x, {rows, d});
    const Value scores =
        nodes_.add(prefix + "gate_scores", ops::Softmax{}, {nodes_.product(flat, prefix + "ffn_gate_inp")});
    const ops::GroupLimitedGate gate{.num_groups = 1,
                                     .top_groups = 1,
                                     .top_k = of.used,
                                     .group_score = ops::GroupScore::max,
                                     .normalize = true,
                                     .scale = of.scale,
                                     .index_dtype = DType::i32,
                                     .has_routing = false};
    const auto chosen = nodes_.add_all(prefix + "gate", gate, {scores});
    const Value ids = nodes_.reshape(prefix + "expert_ids", chosen[0], {rows * of.used});
    std::vector<std::int32_t> sources;
    for (std::int64_t k = 0; k < rows * of.used; ++k) sources.push_back(static_cast<std::int32_t>(k / of.used));
    const Value from = nodes_.add(prefix + "row_ids", constant_of({rows * of.used}, sources), {});
    const Value each = nodes_.add(prefix + "expert_rows", ops::Gather{}, {flat, from});
    const Value opened = nodes_.grouped_product(each, prefix + "ffn_gate", ids, of.count);
    const Value up = nodes_.grouped_product(each, prefix + "ffn_up", ids, of.count);
    const Value y = nodes_.grouped_product(gated(prefix, opened, up), prefix + "ffn_down", ids, of.count);
    const Value weights = nodes_.reshape(prefix + "expert_weights", chosen[1], {rows * of.used, 1});
    const Value weighted = nodes_.add(prefix + "weighted", product_of, {y, weights});
    const Value grouped = nodes_.reshape(prefix + "by_expert", weighted, {rows, of.used, d});
    const ops::Reduce sum{.function = ops::ReduceFunction::sum, .axes = {1}, .keep_dims = false};
    return nodes_.reshape(prefix + "ffn_out", nodes_.add(prefix + "ffn_sum", sum, {grouped}),
                          {options_.batch, options_.prompt_tokens, d});
  }

  Value block(std::int64_t i, Value x) {
    const std::string prefix = cat("blk.", i, '.');
    const Value attended = attention(i, prefix, nodes_.norm(x, prefix + "attn_norm", decoder_.epsilon));
    const Value middle = nodes_.add(prefix + "after_attention", sum_of, {x, attended});
    const Value normed = nodes_.norm(middle, prefix + "ffn_norm", decoder_.epsilon);
    const Value fed = decoder_.experts.count > 0 ? experts(prefix, normed) : dense(prefix, normed);
    return nodes_.add(prefix + "after_ffn", sum_of, {middle, fed});
  }

  const Decoder& decoder_;
  const Weights& weights_;
  const BlockRange& blocks_;
  const Options& options_;
  GraphFile file_;
  Nodes nodes_;
  Value positions_ = 0, kv_lengths_ = 0, cosines_ = 0, sines_ = 0;
  std::vector<Value> caches_;
};

}  // namespace

GraphFile prefill_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks,
                        const Options& options) {
  return Prefill(decoder, weights, blocks, options).build();
}

}  // namespace plumb::ir::formats::gguf::architectures
