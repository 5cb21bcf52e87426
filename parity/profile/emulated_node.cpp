// Replays the sums of one output's kernel, folds and fused ops included, and says how far the device is from that.
#include "parity/profile/emulated_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ir/attribute.hpp"
#include "ir/cost.hpp"
#include "ir/kernels/folded_norm.hpp"
#include "ir/kernels/sum_orders.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/conv.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/profile/attention.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

namespace {

/// A segment's one node that has sums to replay, and what the segment was fed.
struct Replay {
  ir::Executor& reference;
  const DeviceProfile& profile;
  std::span<const ir::Sum> sums;
  const core::Segment& segment;
  std::span<const ir::TensorView> fed;
  const ir::Node& node;

  const ir::Graph& graph() const { return segment.graph; }
};

/// A replayed value, and the values before it that a replay does not need any more.
struct Replayed {
  ir::Value value = 0;
  std::vector<ir::Value> skipped = {};
  ir::Tensor tensor = {};
};

/// The only node of a segment that multiplies, on operands between which and what was fed nothing rounds.
const ir::Node* multiplying_node(const ir::Graph& graph) {
  const ir::Node* found = nullptr;
  for (const ir::Node& node : graph.nodes()) {
    if (!is_product(node.op) && !node.op.is<ir::ops::Attention>()) continue;
    if (found != nullptr) return nullptr;
    found = &node;
  }
  const std::function<bool(ir::Value)> is_only_moved = [&](ir::Value v) {
    if (graph.is_source(v)) return true;
    const ir::Node& node = graph.nodes()[*graph.producer(v)];
    const ir::ErrorClass error = node.op.error_class();
    return (error == ir::ErrorClass::bits || error == ir::ErrorClass::exact) &&
           std::ranges::all_of(node.inputs, is_only_moved);
  };
  return found != nullptr && std::ranges::all_of(found->inputs, is_only_moved) ? found : nullptr;
}

/// The operands of a node, which movements may be before.
std::vector<ir::Tensor> operands_of(const Replay& replay) {
  ir::Feeds feeds;
  for (ir::Value v = 0; v < replay.fed.size(); ++v) feeds.emplace(replay.graph().inputs()[v], replay.fed[v]);
  std::vector<ir::Value> moved;
  for (const ir::Value v : replay.node.inputs)
    if (!replay.graph().is_source(v) && std::ranges::find(moved, v) == moved.end()) moved.push_back(v);
  ir::Tensors made;
  if (!moved.empty()) made = replay.reference.run(replay.graph(), feeds, moved);
  std::vector<ir::Tensor> operands;
  for (const ir::Value v : replay.node.inputs)
    operands.push_back(replay.graph().is_source(v) ? feeds.at(replay.graph().inputs()[v]) : made.at(v));
  return operands;
}

std::vector<ir::TensorView> views_of(const std::vector<ir::Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

/// A norm of known numbers behind a convolution, which went into its filters and bias; null where there is none.
const ir::Node* norm_behind(const Replay& replay) {
  const ir::Node* found = nullptr;
  for (const ir::Node& node : replay.graph().nodes()) {
    if (std::ranges::find(node.inputs, replay.node.outputs[0]) == node.inputs.end()) continue;
    if (found != nullptr || !node.op.is<ir::ops::BatchNorm>() || node.inputs[0] != replay.node.outputs[0])
      return nullptr;
    found = &node;
  }
  return found;
}

/// Puts the norm into the filters and gives the convolution a bias, as what folds it does; false where that cannot be.
bool fold(const Replay& replay, const ir::Node& norm, ir::ops::Conv& op, std::vector<ir::Tensor>& operands) {
  const auto& of_norm = norm.op.as<ir::ops::BatchNorm>();
  const bool is_said = std::ranges::find(replay.sums[0].epilogue, ir::SumStep::bias) != replay.sums[0].epilogue.end();
  if (!is_said || operands[0].dtype() != ir::DType::f32 || operands[0].shape().axis(of_norm.axis) != 1) return false;
  std::vector<ir::Tensor> channels;
  for (const ir::Value v : std::span(norm.inputs).subspan(1)) {
    if (!replay.graph().is_source(v)) return false;
    channels.push_back(ir::convert(replay.fed[v], ir::DType::f64));
  }
  if (op.has_bias) channels.push_back(ir::convert(operands[2], ir::DType::f64));
  const auto folded = ir::kernels::folded_norm(ir::convert(operands[1], ir::DType::f64), channels, of_norm.epsilon);
  if (!folded) return false;
  op.has_bias = true;
  operands = {operands[0], ir::convert(folded->filters, ir::DType::f32), ir::convert(folded->bias, ir::DType::f32)};
  return true;
}

std::optional<Replayed> product(const Replay& replay) {
  const ir::Node& node = replay.node;
  if (replay.sums.size() != 1) return std::nullopt;
  ir::Sum in_order = replay.sums[0];
  if (node.op.is<ir::ops::Conv>() && ir::kernels::channels_of_taps_first(in_order.order)) in_order.order = "contract";
  if (!is_replayable(in_order, ir::cost_of(replay.graph(), node).contraction)) return std::nullopt;
  const Products products = replay.profile.products_of(in_order, replay.graph().type(node.inputs[0]).dtype);
  if (!products.is_known()) return std::nullopt;
  std::vector<ir::Tensor> operands = operands_of(replay);
  const ir::TensorType type{ir::DType::f32, replay.graph().type(node.outputs[0]).shape};
  Replayed made{.value = node.outputs[0]};
  ir::Op op = node.op;
  if (const ir::Node* const norm = norm_behind(replay); norm != nullptr && op.is<ir::ops::Conv>()) {
    auto conv = op.as<ir::ops::Conv>();
    if (!fold(replay, *norm, conv, operands)) return std::nullopt;
    op = conv;
    made.value = norm->outputs[0];
    made.skipped = node.outputs;
  }
  auto sums = emulate(op, views_of(operands), type, products, replay.sums[0]);
  if (!sums) return std::nullopt;
  made.tensor = std::move(*sums);
  return made;
}

/// An op of the widened graph, in f32.
ir::Op in_f32(const ir::Op& wide) {
  return ir::passes::with_dtypes(wide,
                                 [](ir::DType dtype) { return dtype == ir::DType::f64 ? ir::DType::f32 : dtype; });
}

/// Output k of the segment, in f32 from what was replayed on, as a kernel computes what it fuses.
ir::Tensor carried_on(const Replay& replay, const Replayed& known, std::size_t k) {
  if (replay.segment.outputs[k] == known.value) return known.tensor;
  const ir::Graph wide = ir::passes::widen(replay.graph());
  ir::Graph rest;
  ir::Feeds feeds;
  std::map<ir::Value, ir::Value> renumbered;
  const auto feed = [&](ir::Value v, const std::string& name, const ir::TensorView& x) {
    const ir::Tensor& made =
        feeds.emplace(name, ir::is_float(x.dtype()) ? ir::convert(x, ir::DType::f32) : ir::Tensor(x)).first->second;
    renumbered.emplace(v, rest.input(name, made.type()));
  };
  const auto is_behind = [&](const ir::Node& node) {
    const ir::Value first = node.outputs[0];
    return first != known.value && std::ranges::find(known.skipped, first) == known.skipped.end();
  };
  for (ir::Value v = 0; v < replay.fed.size(); ++v)  // weights are large, and rarely read again
    if (std::ranges::any_of(wide.nodes(), [&](const ir::Node& node) {
          return is_behind(node) && std::ranges::find(node.inputs, v) != node.inputs.end();
        }))
      feed(v, wide.inputs()[v], replay.fed[v]);
  feed(known.value, "what was replayed of " + replay.node.label, known.tensor);
  for (const ir::Node& node : wide.nodes()) {
    if (!is_behind(node)) continue;
    std::vector<ir::Value> inputs;
    for (const ir::Value v : node.inputs) inputs.push_back(renumbered.at(v));
    const auto outputs = rest.add_all(node.label, in_f32(node.op), inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) renumbered.emplace(node.outputs[i], outputs[i]);
  }
  const ir::Value result = renumbered.at(replay.segment.outputs[k]);
  return std::move(replay.reference.run(rest, feeds, {result}).at(result));
}

std::optional<double> ulps_between(const ir::Tensor& replayed, const ir::TensorView& got) {
  const compare::Comparison comparison =
      compare::compare(ir::convert(replayed, got.dtype()), got, {.rule = compare::Allowed::Rule::within});
  if (comparison.n_nan_differ + comparison.n_inf_differ > 0) return std::numeric_limits<double>::infinity();
  return comparison.max_ulp.value >= 0 ? comparison.max_ulp.value : 0;
}

/// The largest distance of an element from its replay, over half of what may be off before it is stored: a number of 16
/// bits stands for all that are rounded to it.
double share_between(const ir::Tensor& replayed, const ir::TensorView& got, compare::Allowed allowed) {
  allowed.storage = 0;
  const ir::Tensor came = ir::convert(ir::Tensor(got), ir::DType::f64);
  const ir::Tensor stored = ir::convert(ir::convert(replayed, got.dtype()), ir::DType::f64);
  const compare::Limit limit(allowed, got.dtype());
  double share = 0;
  for (std::size_t i = 0; i < came.as<double>().size(); ++i) {
    const double c = came.as<double>()[i], r = static_cast<double>(replayed.as<float>()[i]);
    if (limit.is_apart(i) || c == stored.as<double>()[i] || (std::isnan(c) && std::isnan(r))) continue;
    if (!std::isfinite(c) || !std::isfinite(r)) return std::numeric_limits<double>::infinity();
    const double of_storage = got.dtype() == ir::DType::f32 ? 0 : compare::ulp_of(c, got.dtype()) / 2;
    const double off = std::max(std::abs(c - r) - of_storage, 0.0);
    if (off > 0) share = std::max(share, 2 * off / limit.at(std::abs(r), i));
  }
  return share;
}

/// How far the device is from the nearer of two replays, where what is left to the compiler is all fused or not at all,
/// in halves of what its elements may be off.
std::optional<double> share_of(const Replay& replay, std::size_t k, const ir::TensorView& got,
                               const compare::Allowed& allowed) {
  std::optional<double> nearest;
  const std::vector<ir::Tensor> operands = operands_of(replay);
  const ir::Shape& y = replay.graph().type(replay.node.outputs[0]).shape;
  for (const bool fused : {true, false}) {
    auto made =
        attention(replay.node.op.as<ir::ops::Attention>(), views_of(operands), y, replay.profile, replay.sums, fused);
    if (!made) return std::nullopt;
    const ir::Tensor replayed = carried_on(replay, {.value = replay.node.outputs[0], .tensor = std::move(*made)}, k);
    const double share = share_between(replayed, got, allowed);
    nearest = std::min(nearest.value_or(std::numeric_limits<double>::infinity()), share);
    if (*nearest <= 1) break;
  }
  return nearest;
}

}  // namespace

Emulation emulation_of(ir::Executor& reference, const DeviceProfile& profile, std::span<const ir::Sum> sums,
                       const core::Segment& segment, std::span<const ir::TensorView> fed, std::size_t k,
                       const ir::TensorView& got, const compare::Allowed* allowed) {
  const ir::Node* const node = multiplying_node(segment.graph);
  if (node == nullptr || !ir::is_float(got.dtype())) return {};
  const Replay replay{reference, profile, sums, segment, fed, *node};
  if (node->op.is<ir::ops::Attention>())
    return {.share = allowed == nullptr ? std::nullopt : share_of(replay, k, got, *allowed)};
  const auto replayed = product(replay);
  if (!replayed) return {};
  const ir::Tensor carried = carried_on(replay, *replayed, k);
  Emulation found{.ulp = ulps_between(carried, got)};
  if (found.ulp > 0) found.replayed = ir::convert(carried, ir::DType::f64);
  return found;
}

std::vector<std::string> emulation_notes(const DeviceProfile& profile, std::span<const cases::NodeResult> nodes) {
  const cases::NodeResult *furthest = nullptr, *widest = nullptr;
  std::size_t products = 0, attentions = 0;
  for (const cases::NodeResult& node : nodes) {
    if (node.emulator_ulp && (++products, furthest == nullptr || *node.emulator_ulp > *furthest->emulator_ulp))
      furthest = &node;
    if (node.emulator_share && (++attentions, widest == nullptr || *node.emulator_share > *widest->emulator_share))
      widest = &node;
  }
  if (products + attentions == 0)
    return {
        "no node was replayed: the emulator replays matrix products, convolutions and attention by units that the "
        "profile knows"};
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  const auto named = [](const cases::NodeResult& node, double value) {
    return value > 0 ? ", " + node.name() : std::string();
  };
  std::string text, with = fmt::format(" replayed with profile {}: at most ", profile.sha256().substr(0, 12));
  if (furthest != nullptr)
    text = fmt::format("{}{}{:.3g} ulps away{}", counted(products, "product"), with, *furthest->emulator_ulp,
                       named(*furthest, *furthest->emulator_ulp));
  if (widest != nullptr)
    text += fmt::format("{}{}{}{:.3g} of half their limits away{}", text.empty() ? "" : "; ",
                        counted(attentions, "attention"), text.empty() ? with : ": at most ", *widest->emulator_share,
                        named(*widest, *widest->emulator_share));
  std::vector<std::string> notes = {std::move(text)};
  for (const cases::NodeResult& node : nodes)
    if (!node.emulator_pattern.empty())
      notes.push_back(fmt::format("{} is not what was replayed: {}", node.name(), node.emulator_pattern));
  return notes;
}

std::vector<std::pair<std::string, std::string>> profile_attributes(const DeviceProfile& profile) {
  const auto bits = [](int count) { return count > 0 ? std::to_string(count) : std::string("unknown"); };
  const auto word = [](auto value) { return std::string(ir::enum_name(value)); };
  Products unit, wide;
  for (const Products& p : profile.products) {
    const bool is_better = p.is_known() && p.operands == ir::DType::f16;
    if (is_better || (!unit.is_known() && p.is_known())) unit = p;
    if (p.operands == ir::DType::f32 && (wide.operand_bits == 0 || p.operand_bits < wide.operand_bits)) wide = p;
  }
  const SubnormalHandling f32 = profile.subnormals_of(ir::DType::f32);
  return {{"profile_sha256", profile == safe_profile() ? "" : profile.sha256()},
          {"unit", unit.is_known() ? word(unit.unit) : "unknown"},
          {"acc_block", bits(unit.block)},
          {"acc_rounding", word(unit.rounding)},
          {"acc_bits", bits(unit.accumulator_bits)},
          {"subnormal_in", word(f32.in)},
          {"subnormal_out", word(f32.out)},
          {"fma", word(profile.fma_of(ir::DType::f32))},
          {"f32_effective_bits", bits(wide.operand_bits)}};
}

}  // namespace plumb::parity::profile
