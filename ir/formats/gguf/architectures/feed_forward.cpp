// Feed-forwards: dense ones, and the mixtures of experts of ops.md F.1.
#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

const ops::Binary product_of{.function = ops::BinaryFunction::multiply};

}  // namespace

Value BlockNodes::gated(const std::string& prefix, Value gate, Value up) {
  return nodes_.add(prefix + "ffn_glu", decoder_.glu, {gate, up});
}

Value BlockNodes::dense(const std::string& prefix, Value x) {
  const Value up = nodes_.product(x, prefix + "ffn_up");
  const auto hidden = [&] {
    if (decoder_.gating == Gating::apart) return gated(prefix, nodes_.product(x, prefix + "ffn_gate"), up);
    if (decoder_.gating == Gating::none)
      return nodes_.add(prefix + "ffn_activation", ops::Unary{.function = ops::unary_function(decoder_.glu.function)},
                        {up});
    const std::int64_t half = nodes_.shape(up).back() / 2;
    const auto halves = nodes_.add_all(prefix + "ffn_halves", ops::Split{.axis = -1, .sizes = {half, half}}, {up});
    return gated(prefix, halves[0], halves[1]);
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

Value BlockNodes::experts(const std::string& prefix, Value x) {
  const Experts& of = decoder_.experts;
  const std::int64_t rows = batch_ * tokens_, d = decoder_.width;
  const Value flat = nodes_.reshape(prefix + "ffn_rows", x, {rows, d});
  const auto gate = chosen(prefix, flat);
  const Value ids = nodes_.reshape(prefix + "expert_ids", gate[0], {rows * of.used});
  std::vector<std::int32_t> sources;
  for (std::int64_t k = 0; k < rows * of.used; ++k) sources.push_back(static_cast<std::int32_t>(k / of.used));
  const Value from = nodes_.constant(prefix + "row_ids", {rows * of.used}, sources);
  const Value each = nodes_.add(prefix + "expert_rows", ops::Gather{}, {flat, from});
  const Value opened = nodes_.grouped_product(each, prefix + "ffn_gate", ids, of.count);
  const Value up = nodes_.grouped_product(each, prefix + "ffn_up", ids, of.count);
  const Value y = nodes_.grouped_product(gated(prefix, opened, up), prefix + "ffn_down", ids, of.count);
  const Value weights = nodes_.reshape(prefix + "expert_weights", gate[1], {rows * of.used, 1});
  const Value weighted = nodes_.add(prefix + "weighted", product_of, {y, weights});
  const Value grouped = nodes_.reshape(prefix + "by_expert", weighted, {rows, of.used, d});
  const ops::Reduce sum{.function = ops::ReduceFunction::sum, .axes = {1}, .keep_dims = false};
  Value all = nodes_.add(prefix + "ffn_sum", sum, {grouped});
  if (of.shared_width > 0) all = nodes_.sum(prefix + "ffn_with_shared", all, shared_expert(prefix, flat));
  return nodes_.reshape(prefix + "ffn_out", all, {batch_, tokens_, d});
}

/// The expert of all rows [M, d], times the sigmoid of what its own gate says where it has one.
Value BlockNodes::shared_expert(const std::string& prefix, Value x) {
  const Value gate = nodes_.product(x, prefix + "ffn_gate_shexp"), up = nodes_.product(x, prefix + "ffn_up_shexp");
  const Value hidden = nodes_.add(prefix + "shared_glu", decoder_.glu, {gate, up});
  const Value y = nodes_.product(hidden, prefix + "ffn_down_shexp");
  if (!decoder_.experts.has_shared_gate) return y;
  const Value row = nodes_.floats(prefix + "ffn_gate_inp_shexp.weight");
  ops::Matmul with_row;
  with_row.transpose_b = true;
  const Value logit = nodes_.add(prefix + "shared_logit", with_row,
                                 {x, nodes_.reshape(prefix + "shared_gate_row", row, {1, decoder_.width})});
  const Value open = nodes_.add(prefix + "shared_gate", ops::Unary{.function = ops::UnaryFunction::sigmoid}, {logit});
  return nodes_.add(prefix + "shared", product_of, {y, open});
}

Value BlockNodes::feed_forward(std::int64_t block, Value x) {
  const bool is_mixture = decoder_.experts.count > 0 && block >= decoder_.experts.first_block;
  return is_mixture ? experts(prefix(block), x) : dense(prefix(block), x);
}

}  // namespace plumb::ir::formats::gguf::architectures
