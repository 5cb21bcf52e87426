#include "parity/bounds/segment_errors.hpp"

#include <algorithm>

#include "ir/ops/classify.hpp"
#include "ir/ops/where.hpp"

namespace plumb::parity::bounds {
namespace {

/// Whether an error of this dtype has limits of its own; a complex one has those of its magnitude.
bool is_real(ir::DType dtype) { return ir::unit_roundoff(dtype) > 0 && !ir::is_complex(dtype); }

}  // namespace

ir::TensorTypes SegmentErrors::candidate_types(const std::vector<ir::Value>& values) const {
  ir::TensorTypes types;
  for (const ir::Value v : values) types.push_back(types_.type(v));
  return types;
}

Bound SegmentErrors::rounding_of(const Node& node, const Model& model) {
  const Bound bound = model.rounding ? model.rounding(node) : both(builder_.constant(0));
  const bool rounds = node.op.error_class() == ir::ErrorClass::rounded;
  const double units = 2 * model.ulps + (rounds ? 1 : 0);
  return units > 0 ? bound + both(units * node.unit() * abs(node.y())) : bound;
}

/// The sum of what the node adds and what it makes of errors of its operands.
Bound SegmentErrors::output_bound(const Node& node, const Model& model, Bound bound,
                                  const std::vector<std::optional<Bound>>& errors) {
  if (std::ranges::any_of(errors, [](const auto& error) { return error.has_value(); })) {
    if (!model.carried) throw NoModel("what '", node.op.name(), "' makes of errors of its operands");
    Errors probable, certain;
    for (const auto& error : errors) {
      probable.push_back(error ? std::optional(error->probable) : std::nullopt);
      certain.push_back(error ? std::optional(error->certain) : std::nullopt);
    }
    bound = bound + Bound{model.carried(node, probable), model.carried(node, certain)};
  }
  const ir::Shape& shape = node.y().shape();
  const Real probable = filled(bound.probable, shape);
  return {probable, bound.certain.value == bound.probable.value ? probable : filled(bound.certain, shape)};
}

/// An infinity or a NaN between two nodes of a segment is met by its like or found where it ends up: it has no error to
/// carry on, which a weight of 0 behind it would make a NaN of (verdict.md V36). What is computed is off by the spacing
/// of subnormals at least or, where they may be flushed, by the smallest normal (verdict.md V35).
Bound SegmentErrors::carried_on(const Node& node, const Bound& bound) {
  const Real is_finite = builder_.apply(ir::ops::Classify{ir::ops::FloatClass::is_finite}, {node.y()});
  const bool is_computed = node.op.error_class() != ir::ErrorClass::bits;
  const double least = is_computed ? std::max(node.flushed(), node.spacing()) : 0;
  const auto where_finite = [&](Real error) {
    const Real more = least > 0 ? error + least : error;
    return builder_.apply(ir::ops::Where{}, {is_finite, more, builder_.constant(0)});
  };
  const Real probable = where_finite(bound.probable);
  return {probable, bound.certain.value == bound.probable.value ? probable : where_finite(bound.certain)};
}

void SegmentErrors::bound_node(const ir::Node& original) {
  const auto at = [this](const std::vector<ir::Value>& values) {
    std::vector<Real> reals;
    for (const ir::Value v : values) reals.push_back({&builder_, known_.contains(v) ? known_.at(v) : v});
    return reals;
  };
  // An op that makes values stays as it is in reference precision, where a cast follows it (ops.md 1.10, W4).
  const bool makes_values = original.op.schema().makes_values;
  const ir::Op op = makes_values ? original.op : wide_.nodes()[*wide_.producer(original.outputs.front())].op;
  Node node{builder_,
            op,
            at(original.inputs),
            at(original.outputs),
            0,
            candidate_types(original.inputs),
            candidate_types(original.outputs),
            manner_.arithmetic,
            manner_.flushes_subnormals};
  std::vector<std::optional<Bound>> errors;
  for (const ir::Value v : original.inputs) {
    const auto found = errors_.find(v);
    errors.push_back(found != errors_.end() ? std::optional(found->second) : std::nullopt);
  }
  const Model model = error_model(op);
  for (node.output = 0; node.output < original.outputs.size(); ++node.output)
    if (is_real(node.type().dtype)) {
      const ir::Value value = original.outputs[node.output];
      const auto given = given_.find(value);
      const Bound own = given != given_.end() ? given->second : rounding_of(node, model);
      const Bound bound = output_bound(node, model, own, errors);
      const bool is_result = std::ranges::count(segment_.outputs, value) > 0;
      errors_.insert_or_assign(value, is_result ? bound : carried_on(node, bound));
    }
}

void SegmentErrors::know(ir::Value value, const compare::Limits& limits, bool without_chance) {
  const auto real = [this](const ir::Tensor& x) { return reshaped(builder_.constant(x.as<double>()), x.shape()); };
  Bound bound{real(limits.probable), real(limits.certain)};
  if (without_chance && limits.chance) bound.probable = bound.probable - real(*limits.chance);
  given_.emplace(value, bound);
}

Bound SegmentErrors::bound_of(ir::Value value) {
  for (const ir::Node& node : segment_.graph.nodes())
    if (done_.insert(node.outputs.front()).second) bound_node(node);
  return errors_.at(value);
}

}  // namespace plumb::parity::bounds
