#include "parity/profile/emulated_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/attribute.hpp"
#include "ir/cost.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/compare.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

namespace {

/// The only node that multiplies matrices, of what was fed.
const ir::Node* product_of(const ir::Graph& graph) {
  const ir::Node* found = nullptr;
  for (const ir::Node& node : graph.nodes()) {
    if (!is_product(node.op)) continue;
    if (found != nullptr) return nullptr;
    found = &node;
  }
  const auto is_fed = [&](ir::Value v) { return graph.is_source(v); };
  return found != nullptr && std::ranges::all_of(found->inputs, is_fed) ? found : nullptr;
}

/// Output k of a segment whose product gave `sum`.
ir::Tensor carried_on(ir::Executor& reference, const core::Segment& segment, const ir::Node& product,
                      const ir::Tensor& sum, std::span<const ir::TensorView> fed, std::size_t k) {
  const ir::Graph wide = ir::passes::widen(segment.graph);
  ir::Graph rest;
  ir::Feeds feeds;
  std::map<ir::Value, ir::Value> renumbered;
  const auto feed = [&](ir::Value v, const std::string& name, const ir::TensorView& x) {
    const ir::Tensor& made = feeds.emplace(name, ir::passes::widen(x)).first->second;
    renumbered.emplace(v, rest.input(name, made.type()));
  };
  for (ir::Value v = 0; v < fed.size(); ++v) feed(v, wide.inputs()[v], fed[v]);
  feed(product.outputs[0], "the sum of " + product.label, sum);
  for (const ir::Node& node : wide.nodes()) {
    if (node.outputs == product.outputs) continue;
    std::vector<ir::Value> inputs;
    for (const ir::Value v : node.inputs) inputs.push_back(renumbered.at(v));
    const auto outputs = rest.add_all(node.label, node.op, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) renumbered.emplace(node.outputs[i], outputs[i]);
  }
  const ir::Value result = renumbered.at(segment.outputs[k]);
  return std::move(reference.run(rest, feeds, {result}).at(result));
}

}  // namespace

std::optional<double> emulator_ulp(ir::Executor& reference, const DeviceProfile& profile, std::span<const ir::Sum> sums,
                                   const core::Segment& segment, std::span<const ir::TensorView> fed, std::size_t k,
                                   const ir::TensorView& got) {
  const ir::Node* const product = product_of(segment.graph);
  if (product == nullptr || !ir::is_float(got.dtype())) return std::nullopt;
  std::vector<ir::TensorView> operands;
  for (const ir::Value v : product->inputs) operands.push_back(fed[v]);
  const std::int64_t terms = ir::cost_of(segment.graph, *product).contraction;
  if (sums.size() != 1 || !is_replayable(sums[0], terms)) return std::nullopt;
  const Products products = profile.products_of(sums[0], operands[0].dtype());
  if (!products.is_known()) return std::nullopt;
  const ir::Shape& shape = segment.graph.type(product->outputs[0]).shape;
  auto replayed = emulate(product->op, operands, {ir::DType::f32, shape}, products, sums[0].levels);
  if (!replayed) return std::nullopt;
  if (segment.graph.nodes().size() > 1) *replayed = carried_on(reference, segment, *product, *replayed, fed, k);
  const compare::Comparison comparison =
      compare::compare(ir::convert(*replayed, got.dtype()), got, {.rule = compare::Allowed::Rule::within});
  if (comparison.n_nan_differ + comparison.n_inf_differ > 0) return std::numeric_limits<double>::infinity();
  return comparison.max_ulp.value >= 0 ? comparison.max_ulp.value : 0;
}

std::string emulation_note(const DeviceProfile& profile, std::span<const std::optional<double>> ulps) {
  double worst = 0;
  std::size_t count = 0;
  for (const auto& ulp : ulps)
    if (ulp) worst = std::max(worst, *ulp), ++count;
  if (count == 0) return "no node was replayed: the emulator replays matrix products by units that the profile knows";
  return fmt::format("{} product{} replayed with profile {}: at most {:.3g} ulps away", count, count == 1 ? "" : "s",
                     profile.sha256().substr(0, 12), worst);
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
