// The right operands, a wrong attribute of the op.

#include "ir/ops/attention.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/trilu.hpp"
#include "ir/ops/unary.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The op with one attribute changed; `change` gets its value and gives another, or nothing.
template <class T, class Change>
std::optional<Numbers> with_attribute(const Site& site, std::string_view name, Change change) {
  if (site.op() == nullptr) return {};
  ir::Attributes attributes = site.op()->attributes();
  const auto found = attributes.find(name);
  if (found == attributes.end()) return {};
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) return {};
  const std::optional<T> other = change(*value);
  if (!other) return {};
  found->second = *other;
  return site.by(site.op()->schema().read(attributes));
}

/// One of the usual values for another.
std::optional<Numbers> wrong_epsilon(const Site& site) {
  return with_attribute<double>(site, "epsilon",
                                [](double epsilon) { return std::optional(epsilon >= 1e-6 ? 1e-12 : 1e-5); });
}

/// The axis before, where there is one; the types must stay.
std::optional<Numbers> wrong_axis(const Site& site) {
  if (site.operands.empty()) return {};
  const ir::Shape& shape = site.operands.front().now.shape();
  return with_attribute<std::int64_t>(site, "axis", [&](std::int64_t axis) -> std::optional<std::int64_t> {
    const auto at = static_cast<std::int64_t>(shape.axis(axis));
    if (shape.size() < 2) return {};
    return at > 0 ? at - 1 : at + 1;
  });
}

/// Attention by unscaled scores; a product without its factor.
std::optional<Numbers> wrong_scale(const Site& site) {
  if (const auto* attention = site.as<ir::ops::Attention>()) {
    ir::ops::Attention op = *attention;
    op.scale = 1;
    return site.by(op);
  }
  return with_attribute<double>(site, "alpha",
                                [](double alpha) { return alpha == 1 ? std::nullopt : std::optional(1.0); });
}

/// The other of two functions that are nearly the same.
std::optional<Numbers> wrong_variant(const Site& site) {
  using ir::ops::UnaryFunction;
  const auto* op = site.as<ir::ops::Unary>();
  if (op == nullptr) return {};
  for (const auto& [one, other] : {std::pair(UnaryFunction::gelu, UnaryFunction::gelu_tanh),
                                   std::pair(UnaryFunction::silu, UnaryFunction::hard_swish)}) {
    if (op->function == one) return site.by(ir::ops::Unary{other});
    if (op->function == other) return site.by(ir::ops::Unary{one});
  }
  return {};
}

/// A causal mask, a window or a triangle that ends one column late.
std::optional<Numbers> wrong_edge(const Site& site) {
  const auto late = [](std::int64_t edge) { return edge < 0 ? std::nullopt : std::optional(edge + 1); };
  if (const auto* triangle = site.as<ir::ops::Trilu>()) {
    ir::ops::Trilu op = *triangle;
    ++op.diagonal;
    return site.by(op);
  }
  const auto* attention = site.as<ir::ops::Attention>();
  if (attention == nullptr) return {};
  ir::ops::Attention op = *attention;
  if (!op.causal) return with_attribute<std::int64_t>(site, "right_window_size", late);
  const auto shape = [&](std::size_t k) -> const ir::Shape& { return site.operands[k].now.shape(); };
  if (op.has_kv_lengths || site.operands.size() < 3) return {};
  const auto extents = op.extents(shape(0), shape(1), shape(2));
  op.query_offset = op.query_offset.value_or(extents.Sk - extents.Sq) + 1;
  return site.by(op);
}

/// A slice that begins one element early or, at the start, late.
std::optional<Numbers> wrong_start(const Site& site) {
  return with_attribute<std::vector<std::int64_t>>(site, "starts", [](std::vector<std::int64_t> starts) {
    if (!starts.empty()) starts.back() += starts.back() > 0 ? -1 : 1;
    return std::optional(starts);
  });
}

constexpr Fault of_attributes[] = {
    {"wrong_epsilon", "an epsilon of 1e-5 where it is smaller than 1e-6, else of 1e-12", "norms", true, wrong_epsilon},
    {"wrong_axis", "the axis beside", "any with an axis, where the types stay", true, wrong_axis},
    {"wrong_scale", "a factor of 1", "attention; any with an alpha", true, wrong_scale},
    {"wrong_variant", "gelu and gelu_tanh, silu and hard_swish change places", ir::ops::Unary::name, true,
     wrong_variant},
    {"wrong_edge", "a causal mask, a window or a triangle ends one column late", "attention, trilu", true, wrong_edge},
    {"wrong_start", "a slice begins one element off", ir::ops::Slice::name, true, wrong_start},
};

}  // namespace

std::span<const Fault> faults_of_attributes() { return of_attributes; }

}  // namespace plumb::parity::power::faults
