// Feed-forwards: dense ones, and the mixtures of experts of ops.md F.1.
#include <cmath>

#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::formats::gguf::architectures {

Value BlockNodes::gated(const std::string& label, Value gate, Value up) {
  return nodes_.add(label, decoder_.glu, {gate, up});
}

Value BlockNodes::dense(const std::string& prefix, Value x) {
  const Value up = nodes_.product(x, prefix + "ffn_up");
  const auto hidden = [&] {
    if (decoder_.gating == Gating::apart) return gated(prefix + "ffn_glu", nodes_.product(x, prefix + "ffn_gate"), up);
    if (decoder_.gating == Gating::none)
      return nodes_.add(prefix + "ffn_activation", ops::Unary{.function = ops::unary_function(decoder_.glu.function)},
                        {up});
    const std::int64_t half = nodes_.shape(up).back() / 2;
    const auto halves = nodes_.add_all(prefix + "ffn_halves", ops::Split{.axis = -1, .sizes = {half, half}}, {up});
    return gated(prefix + "ffn_glu", halves[0], halves[1]);
  };
  return nodes_.product(hidden(), prefix + "ffn_down");
}

/// Experts of each row, and what they weigh.
std::vector<Value> BlockNodes::chosen(const std::string& prefix, Value rows) {
  const Experts& of = decoder_.experts;
  const Value logits = nodes_.product(rows, prefix + "ffn_gate_inp");
  const Op scoring = of.has_sigmoid_scores ? Op(ops::Unary{.function = ops::UnaryFunction::sigmoid}) : ops::Softmax{};
  std::vector<Value> operands = {nodes_.add(prefix + "gate_scores", scoring, {logits})};
  const std::string bias = prefix + "exp_probs_b.bias";
  if (of.is_chosen_by_logits) operands.push_back(logits);
  if (weights_.has(bias)) operands.push_back(nodes_.sum(prefix + "gate_routing", operands[0], nodes_.floats(bias)));
  const bool has_two_best = of.has_sigmoid_scores && of.groups > 1;
  const ops::GroupLimitedGate gate{.num_groups = of.groups,
                                   .top_groups = of.used_groups,
                                   .top_k = of.used,
                                   .group_score = has_two_best ? ops::GroupScore::top2_sum : ops::GroupScore::max,
                                   .normalize = of.is_normalized,
                                   .scale = of.scale,
                                   .index_dtype = DType::i32,
                                   .has_routing = operands.size() > 1};
  return nodes_.add_all(prefix + "gate", gate, std::move(operands));
}

/// A product of rows [M, K] and the matrices of experts; beside a dense feed-forward that has the usual names.
Value BlockNodes::expert_product(const std::string& prefix, const std::string& name, Value x, Value ids) {
  const Experts& of = decoder_.experts;
  const std::string label = prefix + (of.is_beside_dense ? "expert_" : "ffn_") + name;
  return nodes_.grouped_product(label, x, prefix + "ffn_" + name, ids, of.count);
}

/// Rows of experts [M, f], opened by their gates; both matrices may lie in one tensor.
Value BlockNodes::opened_experts(const std::string& prefix, Value each, Value ids) {
  const Experts& of = decoder_.experts;
  const std::string label = prefix + (of.is_beside_dense ? "expert_glu" : "ffn_glu");
  if (!weights_.has(prefix + "ffn_gate_up_exps.weight")) {
    const Value gate = expert_product(prefix, "gate", each, ids);
    return gated(label, gate, expert_product(prefix, "up", each, ids));
  }
  const ops::Split halves{.axis = -1, .sizes = {of.width, of.width}};
  const auto parts = nodes_.add_all(prefix + "expert_halves", halves, {expert_product(prefix, "gate_up", each, ids)});
  return gated(label, parts[0], parts[1]);
}

/// Factors [M, 1] of what experts give: their weights [rows, k], and factors of their own.
Value BlockNodes::expert_weights(const std::string& prefix, Value weights, Value ids) {
  const std::int64_t rows = nodes_.shape(ids)[0];
  const std::string scale = prefix + "ffn_down_exps.scale";
  if (weights_.has(scale)) {
    const Value flat = nodes_.reshape(prefix + "flat_weights", weights, {rows});
    const Value own = nodes_.add(prefix + "expert_scales", ops::Gather{}, {nodes_.floats(scale), ids});
    weights = nodes_.times(prefix + "scaled_weights", flat, own);
  }
  return nodes_.reshape(prefix + "expert_weights", weights, {rows, 1});
}

/// The mixture of x [B, s, d], whose experts `router` [B, s, d] chooses.
Value BlockNodes::experts(const std::string& prefix, Value x, Value router) {
  const Experts& of = decoder_.experts;
  const std::int64_t rows = batch_ * tokens_, d = decoder_.width;
  const Value flat = nodes_.reshape(prefix + "ffn_rows", x, {rows, d});
  const auto gate = chosen(prefix, router == x ? flat : nodes_.reshape(prefix + "router_rows", router, {rows, d}));
  const Value ids = nodes_.reshape(prefix + "expert_ids", gate[0], {rows * of.used});
  std::vector<std::int32_t> sources;
  for (std::int64_t k = 0; k < rows * of.used; ++k) sources.push_back(static_cast<std::int32_t>(k / of.used));
  const Value from = nodes_.constant(prefix + "row_ids", {rows * of.used}, sources);
  const Value each = nodes_.add(prefix + "expert_rows", ops::Gather{}, {flat, from});
  const Value y = expert_product(prefix, "down", opened_experts(prefix, each, ids), ids);
  const Value weighted = nodes_.times(prefix + "weighted", y, expert_weights(prefix, gate[1], ids));
  const Value grouped = nodes_.reshape(prefix + "by_expert", weighted, {rows, of.used, d});
  const ops::Reduce sum{.function = ops::ReduceFunction::sum, .axes = {1}, .keep_dims = false};
  Value all = nodes_.add(prefix + "ffn_sum", sum, {grouped});
  if (of.shared_width > 0) all = nodes_.sum(prefix + "ffn_with_shared", all, shared_expert(prefix, flat));
  return nodes_.reshape(prefix + "ffn_out", all, {batch_, tokens_, d});
}

/// The sum after attention, normed and scaled by what the router has for each column.
Value BlockNodes::router_input(const std::string& prefix, Value x) {
  const ops::RmsNorm norm{.epsilon = decoder_.norm.epsilon, .has_scale = false};
  const float share = static_cast<float>(1 / std::sqrt(static_cast<double>(decoder_.width)));
  const Value scaled = nodes_.scaled(prefix + "router_scaled", nodes_.add(prefix + "router_norm", norm, {x}), share);
  return nodes_.times(prefix + "router_input", scaled, nodes_.floats(prefix + "ffn_gate_inp.scale"));
}

Value BlockNodes::dense_and_experts(const std::string& prefix, Value sum, Value normed) {
  const Value one = nodes_.norm(dense(prefix, normed), prefix + "post_ffw_norm_1", decoder_.norm);
  const Value before = nodes_.norm(sum, prefix + "pre_ffw_norm_2", decoder_.norm);
  const Value chosen = experts(prefix, before, router_input(prefix, sum));
  return nodes_.sum(prefix + "ffn_both", one, nodes_.norm(chosen, prefix + "post_ffw_norm_2", decoder_.norm));
}

/// The expert of all rows [M, d], times the sigmoid of what its own gate says where it has one.
Value BlockNodes::shared_expert(const std::string& prefix, Value x) {
  const Value gate = nodes_.product(x, prefix + "ffn_gate_shexp"), up = nodes_.product(x, prefix + "ffn_up_shexp");
  const Value hidden = gated(prefix + "shared_glu", gate, up);
  const Value y = nodes_.product(hidden, prefix + "ffn_down_shexp");
  if (!decoder_.experts.has_shared_gate) return y;
  const Value row = nodes_.floats(prefix + "ffn_gate_inp_shexp.weight");
  ops::Matmul with_row;
  with_row.transpose_b = true;
  const Value logit = nodes_.add(prefix + "shared_logit", with_row,
                                 {x, nodes_.reshape(prefix + "shared_gate_row", row, {1, decoder_.width})});
  const Value open = nodes_.add(prefix + "shared_gate", ops::Unary{.function = ops::UnaryFunction::sigmoid}, {logit});
  return nodes_.times(prefix + "shared", y, open);
}

Value BlockNodes::feed_forward(std::int64_t block, Value sum, Value normed) {
  const Experts& of = decoder_.experts;
  if (of.is_beside_dense) return dense_and_experts(prefix(block), sum, normed);
  return decoder_.has_experts(block) ? experts(prefix(block), normed, normed) : dense(prefix(block), normed);
}

}  // namespace plumb::ir::formats::gguf::architectures
