// The graph of a run of tokens over caches, line by line as ops.md J.4 has it.
#include "ir/formats/gguf/architectures/prefill.hpp"

#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/sample.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/tensor_scatter.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

class Prefill {
 public:
  Prefill(const Decoder& decoder, const Weights& weights, const BlockRange& blocks, const Options& options)
      : decoder_(decoder),
        weights_(weights),
        blocks_(blocks),
        options_(options),
        nodes_(file_.graph, weights),
        parts_(decoder, weights, options, nodes_) {}

  GraphFile build() {
    declare_inputs();
    weights_.declare(file_);
    positions();
    Value x = embeddings();
    if (decoder_.per_layer > 0) per_layer_ = parts_.per_layer_inputs(x, nodes_.input("tokens"));
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) x = block(i, x);
    if (!options_.has_all_logits) x = last_of(x);
    const Value scores = logits(nodes_.norm(x, "output_norm", decoder_.norm));
    file_.graph.returns(scores);
    for (const Value cache : caches_) file_.graph.returns(cache);
    if (options_.steps) file_.graph.returns(next_tokens(scores));
    return std::move(file_);
  }

 private:
  struct Tables {
    Value cosines = 0, sines = 0;
  };

  Shape cache_shape(std::int64_t heads, std::int64_t columns) const {
    return {options_.batch, heads, options_.rows(), columns};
  }

  void declare_inputs() {
    const std::int64_t batch = options_.batch;
    declare_tokens(file_, options_, weights_.at("token_embd.weight").shape[0]);
    file_.graph.input("write_at", {DType::i32, {batch}});
    file_.sources.emplace("write_at", Tensor({DType::i32, {batch}}));
    if (options_.steps && options_.draw.temperature != 0) {
      file_.graph.input("draw", {DType::u32, {}});
      file_.sources.emplace("draw", Tensor({DType::u32, {}}));
    }
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) declare_caches(i);
  }

  /// Inputs that a block hands from run to run.
  void declare_caches(std::int64_t i) {
    const Linear& linear = decoder_.linear;
    const auto input = [&](const char* name, const Shape& shape) {
      file_.graph.input(cat(name, i), {DType::f32, shape});
    };
    // All of a state is read, by the first run, too: nothing is before that, which zeros stand for.
    const auto state = [&](const char* name, const Shape& shape) {
      input(name, shape);
      file_.sources.emplace(cat(name, i), Tensor({DType::f32, shape}));
    };
    if (decoder_.source(i) != i) return;  // it reads those of another
    if (decoder_.is_linear(i)) {
      state("state.", {options_.batch, linear.value_heads, linear.length, linear.length});
      return state("conv.", {options_.batch, linear.channels(), linear.taps - 1});
    }
    const std::int64_t heads = decoder_.kv_heads[static_cast<std::size_t>(i)];
    input("cache_k.", cache_shape(heads, decoder_.key(i)));
    if (decoder_.latent.rank == 0) input("cache_v.", cache_shape(heads, decoder_.value(i)));  // else columns of keys
  }

  /// Positions [B, s], how many keys are in use, and the rotary tables.
  void positions() {
    const std::int64_t batch = options_.batch, tokens = options_.prompt_tokens;
    const Value at = nodes_.input("write_at");
    positions_ = nodes_.reshape("first_positions", at, {batch, 1});
    if (tokens > 1) {
      const Value steps = nodes_.add("steps", ops::Range{.count = tokens, .dtype = DType::i32}, {});
      positions_ = nodes_.sum("positions", positions_, steps);
    }
    const Value length = nodes_.constant<std::int32_t>("length", {}, {static_cast<std::int32_t>(tokens)});
    kv_lengths_ = nodes_.sum("kv_lengths", at, length);
    if (decoder_.rotary.columns == 0) return;
    const auto divided = divisors();
    rotary_ = window_rotary_ = tables("", decoder_.rotary, divided);
    bool has_window = false;
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) has_window |= decoder_.window(i) > 0;
    if (has_window && (decoder_.window_rotary != decoder_.rotary || !divided.empty()))
      window_rotary_ = tables(".window", decoder_.window_rotary, {});
  }

  std::vector<double> divisors() const {
    const auto numbers = [&](const std::string& name) {
      return weights_.has(name) ? weights_.numbers(name) : std::vector<double>();
    };
    if (decoder_.divisors == Divisors::none) return {};
    if (decoder_.divisors != Divisors::by_context) return numbers("rope_freqs.weight");
    const bool is_long = static_cast<double>(options_.rows()) > decoder_.rotary.original_context;
    return numbers(is_long ? "rope_factors_long.weight" : "rope_factors_short.weight");
  }

  Tables tables(const std::string& of, const Rotary& rotary, const std::vector<double>& divisors) {
    const RotaryTables made = rotary_tables(rotary, divisors, options_.rows());
    const Shape shape{options_.rows(), rotary.columns / 2};
    return {nodes_.constant("rope_cos" + of, shape, made.cosines), nodes_.constant("rope_sin" + of, shape, made.sines)};
  }

  Value embeddings() {
    Value x = nodes_.rows("embeddings", "token_embd", nodes_.input("tokens"));
    if (decoder_.embedding_scale) x = nodes_.scaled("scaled_embeddings", x, *decoder_.embedding_scale);
    if (!decoder_.has_position_table) return x;
    return nodes_.sum("with_positions", x, nodes_.rows("position_rows", "position_embd", positions_));
  }

  Value logits(Value x) {
    const std::string tensor = weights_.has("output.weight") ? "output" : "token_embd";
    if (decoder_.logit_cap == 0) return nodes_.product("logits", x, tensor);
    const Value open = nodes_.product("open_logits", x, tensor);
    const auto cap = static_cast<float>(decoder_.logit_cap);
    const Value by = nodes_.constant<float>("logit_cap", {}, {cap});
    const Value share = nodes_.add("logit_shares", ops::Binary{.function = ops::BinaryFunction::divide}, {open, by});
    const Value bent = nodes_.add("bent_logits", ops::Unary{.function = ops::UnaryFunction::tanh}, {share});
    return nodes_.times("logits", bent, by);
  }

  Value last_of(Value x) {
    const ops::Slice last{.axes = {1}, .starts = {options_.prompt_tokens - 1}, .sizes = {1}, .steps = {}};
    return nodes_.add("last", last, {x});
  }

  /// The tokens that follow the last ones, i32 [B, 1].
  Value next_tokens(Value scores) {
    ops::Sample draw = options_.draw;
    draw.index_dtype = DType::i32;
    std::vector<Value> operands = {options_.has_all_logits ? last_of(scores) : scores};
    draw.has_offset = draw.temperature != 0;
    if (draw.has_offset) operands.push_back(nodes_.input("draw"));
    return nodes_.add("tokens.next", draw, std::move(operands));
  }

  Value rotated(const std::string& label, std::int64_t block, Value x) {
    if (decoder_.rotary.columns == 0) return x;
    const bool has_window = decoder_.window(block) > 0;
    const Tables& tables = has_window ? window_rotary_ : rotary_;
    const ops::Rope rope{.interleaved = decoder_.is_interleaved,
                         .rotary_dim = 2 * nodes_.shape(tables.cosines).back(),
                         .has_positions = true};
    return nodes_.add(label, rope, {x, tables.cosines, tables.sines, positions_});
  }

  Value written(const std::string& cache, Value rows) {
    const ops::TensorScatter scatter{.axis = -2, .has_write_indices = true};
    const Value next = nodes_.add(cache + ".next", scatter, {nodes_.input(cache), rows, nodes_.input("write_at")});
    caches_.push_back(next);
    return next;
  }

  /// A state as a result of its own, whose name says which input it becomes.
  void handed_on(const std::string& input, Value state) {
    const Shape& shape = nodes_.shape(state);
    caches_.push_back(nodes_.reshape(input + ".next", state, {shape.begin(), shape.end()}));
  }

  Value linear_attention(std::int64_t i, Value x) {
    const std::string state = cat("state.", i), conv = cat("conv.", i);
    const auto made = parts_.linear_attention(i, x, nodes_.input(state), nodes_.input(conv));
    handed_on(state, made.state);
    handed_on(conv, made.conv_state);
    return made.y;
  }

  Value attention(std::int64_t i, const std::string& prefix, Value x) {
    if (decoder_.latent.rank > 0) return latent_attention(i, prefix, x);
    if (decoder_.is_linear(i)) return linear_attention(i, x);
    const std::int64_t source = decoder_.source(i).value();
    const std::string cache_k = cat("cache_k.", source), cache_v = cat("cache_v.", source);
    const auto heads = parts_.heads(i, x);
    const Value q = rotated(prefix + "q_rope", i, heads.q);
    if (source != i)
      return parts_.joined(i, attended(i, prefix, q, nodes_.input(cache_k + ".next"), nodes_.input(cache_v + ".next")));
    const Value keys = written(cache_k, rotated(prefix + "k_rope", i, heads.k)), values = written(cache_v, heads.v);
    return parts_.joined(i, attended(i, prefix, q, keys, values), heads.gate);
  }

  /// Attention of q that was multiplied by the keys' matrices, over latent vectors.
  Value latent_attention(std::int64_t i, const std::string& prefix, Value x) {
    const auto heads = parts_.latent_heads(i, x);
    const Value q = nodes_.beside(prefix + "q", heads.q, rotated(prefix + "q_rope", i, heads.q_rotary));
    const Value keys = nodes_.beside(prefix + "k", heads.latent, rotated(prefix + "k_rope", i, heads.rotary));
    const Value cache = written(cat("cache_k.", i), keys);
    const ops::Slice first{.axes = {3}, .starts = {0}, .sizes = {decoder_.latent.rank}, .steps = {}};
    const Value y = attended(i, prefix, q, cache, nodes_.add(prefix + "v", first, {cache}));
    return parts_.joined_latent(i, y, heads.values);
  }

  Value attended(std::int64_t i, const std::string& prefix, Value q, Value cache_k, Value cache_v) {
    const ops::Attention attend{.scale = decoder_.score_scale,
                                .softcap = decoder_.score_cap,
                                .causal = true,
                                .left_window_size = decoder_.window(i) - 1,
                                .has_kv_lengths = true,
                                .has_sinks = decoder_.has_sinks};
    std::vector<Value> operands = {q, cache_k, cache_v, kv_lengths_};
    if (decoder_.has_sinks) operands.push_back(nodes_.floats(prefix + "attn_sinks.weight"));
    return nodes_.add(prefix + "attended", attend, std::move(operands));
  }

  Value block(std::int64_t i, Value x) {
    const std::string prefix = BlockNodes::prefix(i);
    Value attended = attention(i, prefix, nodes_.norm(x, prefix + "attn_norm", decoder_.norm));
    if (decoder_.has_post_norms) attended = nodes_.norm(attended, prefix + "post_attention_norm", decoder_.norm);
    const Value middle = nodes_.sum(prefix + "after_attention", x, attended);
    const std::string norm = prefix + std::string(decoder_.feed_forward_norm);
    Value fed = parts_.feed_forward(i, middle, nodes_.norm(middle, norm, decoder_.norm));
    if (decoder_.has_post_norms) fed = nodes_.norm(fed, prefix + "post_ffw_norm", decoder_.norm);
    Value whole = nodes_.sum(prefix + "after_ffn", middle, fed);
    if (decoder_.per_layer > 0) whole = parts_.with_per_layer(i, whole, per_layer_);
    return parts_.rescaled(i, whole);
  }

  const Decoder& decoder_;
  const Weights& weights_;
  const BlockRange& blocks_;
  const Options& options_;
  GraphFile file_;
  Nodes nodes_;
  BlockNodes parts_;
  Value positions_ = 0, kv_lengths_ = 0, per_layer_ = 0;
  Tables rotary_, window_rotary_;
  std::vector<Value> caches_;
};

}  // namespace

void declare_tokens(GraphFile& file, const Options& options, std::int64_t vocabulary) {
  const Shape shape{options.batch, options.prompt_tokens};
  file.graph.input("tokens", {DType::i32, shape});
  if (options.tokens.empty()) {
    const Fill ids{.distribution = Distribution::uniform_int, .low = 0, .high = static_cast<double>(vocabulary)};
    file.sources.emplace("tokens", Generated{ids});
  } else {
    const std::vector<std::int32_t> ids(options.tokens.begin(), options.tokens.end());
    file.sources.emplace("tokens", Tensor::of(shape, ids));
  }
}

GraphFile prefill_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks,
                        const Options& options) {
  return Prefill(decoder, weights, blocks, options).build();
}

}  // namespace plumb::ir::formats::gguf::architectures
