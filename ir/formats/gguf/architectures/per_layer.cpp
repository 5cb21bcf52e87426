// Vectors of the tokens themselves for each block, which reads them besides what the blocks before it made.
#include <cmath>

#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/slice.hpp"

namespace plumb::ir::formats::gguf::architectures {

Value BlockNodes::per_layer_inputs(Value x, Value tokens) {
  const std::int64_t p = decoder_.per_layer;
  const std::vector<std::int64_t> by_block = {batch_, tokens_, decoder_.blocks, p};
  const auto root = [](std::int64_t of) { return std::sqrt(static_cast<double>(of)); };
  const Value seen = nodes_.scaled("per_layer_seen", nodes_.product(x, "per_layer_model_proj"),
                                   static_cast<float>(1 / root(decoder_.width)));
  const Value normed = nodes_.norm(nodes_.reshape("per_layer_by_block", seen, by_block), "per_layer_proj_norm",
                                   {.epsilon = decoder_.norm.epsilon});
  const Value rows = nodes_.scaled("per_layer_scaled", nodes_.rows("per_layer_rows", "per_layer_token_embd", tokens),
                                   static_cast<float>(root(p)));
  const Value both = nodes_.sum("per_layer_sum", normed, nodes_.reshape("per_layer_rows_by_block", rows, by_block));
  return nodes_.scaled("per_layer", both, static_cast<float>(1 / root(2)));
}

Value BlockNodes::with_per_layer(std::int64_t block, Value x, Value inputs) {
  const std::string of = prefix(block);
  const ops::Slice own{.axes = {2}, .starts = {block}, .sizes = {1}, .steps = {}};
  const Value one = nodes_.reshape(of + "per_layer", nodes_.add(of + "per_layer_slice", own, {inputs}),
                                   {batch_, tokens_, decoder_.per_layer});
  const Value opened = gated(of + "inp_opened", nodes_.product(x, of + "inp_gate"), one);
  const Value back = nodes_.norm(nodes_.product(opened, of + "proj"), of + "post_norm", decoder_.norm);
  return nodes_.sum(of + "after_per_layer", x, back);
}

Value BlockNodes::rescaled(std::int64_t block, Value x) {
  const std::string of = prefix(block), scale = of + "layer_output_scale";
  if (!decoder_.may_scale_blocks || !weights_.has(scale + ".weight")) return x;
  return nodes_.times(scale, x, nodes_.floats(scale + ".weight"));
}

}  // namespace plumb::ir::formats::gguf::architectures
