// The graph of an encoder: every token sees all that are no padding, and norms are behind the residuals.
#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/formats/gguf/architectures/prefill.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/range.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

class Encoding {
 public:
  Encoding(const Decoder& decoder, const Weights& weights, const BlockRange& blocks, const Options& options)
      : decoder_(decoder),
        weights_(weights),
        blocks_(blocks),
        options_(options),
        nodes_(file_.graph, weights),
        parts_(decoder, weights, options, nodes_) {}

  GraphFile build() {
    declare_tokens(file_, options_, weights_.at("token_embd.weight").shape[0]);
    file_.graph.input("lengths", {DType::i32, {options_.batch}});
    const std::vector<std::int32_t> whole(static_cast<std::size_t>(options_.batch),
                                          static_cast<std::int32_t>(options_.prompt_tokens));
    file_.sources.emplace("lengths", Tensor::of({options_.batch}, whole));
    weights_.declare(file_);
    Value x = embeddings();
    for (std::int64_t i = blocks_.from; i < blocks_.to; ++i) x = block(i, x);
    file_.graph.returns(nodes_.reshape("hidden", x, {options_.batch, options_.prompt_tokens, decoder_.width}));
    return std::move(file_);
  }

 private:
  Value embeddings() {
    Value x = nodes_.rows("embeddings", "token_embd", nodes_.input("tokens"));
    if (weights_.has("token_types.weight")) {
      const Value first = nodes_.constant<std::int32_t>("type", {1}, {0});
      x = nodes_.sum("with_type", x, nodes_.rows("type_row", "token_types", first));
    }
    const Value steps = nodes_.add("steps", ops::Range{.count = options_.prompt_tokens, .dtype = DType::i32}, {});
    x = nodes_.sum("with_positions", x, nodes_.rows("position_rows", "position_embd", steps));
    return nodes_.norm(x, "token_embd_norm", decoder_.norm);
  }

  Value block(std::int64_t i, Value x) {
    const std::string prefix = BlockNodes::prefix(i);
    const auto heads = parts_.heads(i, x);
    const ops::Attention attend{.scale = decoder_.score_scale, .has_kv_lengths = true};
    const Value y = nodes_.add(prefix + "attended", attend, {heads.q, heads.k, heads.v, nodes_.input("lengths")});
    const Value middle = nodes_.norm(nodes_.sum(prefix + "after_attention", x, parts_.joined(i, y)),
                                     prefix + "attn_output_norm", decoder_.norm);
    return nodes_.norm(nodes_.sum(prefix + "after_ffn", middle, parts_.feed_forward(i, middle, middle)),
                       prefix + "layer_output_norm", decoder_.norm);
  }

  const Decoder& decoder_;
  const Weights& weights_;
  const BlockRange& blocks_;
  const Options& options_;
  GraphFile file_;
  Nodes nodes_;
  BlockNodes parts_;
};

}  // namespace

GraphFile encode_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks,
                       const Options& options) {
  return Encoding(decoder, weights, blocks, options).build();
}

}  // namespace plumb::ir::formats::gguf::architectures
