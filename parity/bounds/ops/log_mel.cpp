// Error model of the log-mel spectrogram: what the error of a band becomes in its logarithm, its own and that of the
// largest, of which each element shows one.
#include "ir/ops/log_mel.hpp"

#include <numbers>

#include "ir/ops/classify.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::LogMel;

Real bands_of(Real power, Real filters) {
  return power.builder->apply(ir::ops::Matmul{.transpose_b = true, .output_dtype = {}}, {power, filters});
}

Real log10_of(Real band, double floor) {
  const Real kept = max(band, band.builder->constant(floor));
  return std::numbers::log10e * band.builder->apply(ir::ops::Unary{ir::ops::UnaryFunction::log}, {kept});
}

/// The larger change of x where it may be anything from `low` to `high`.
Real change(Real x, Real low, Real high) { return max(high - x, x - low); }

/// The largest error of each element of y where bands are off by `error` and logarithms by 6 units (ops.md 10).
Real through_logarithms(const LogMel& op, const Node& node, Real mel, Real error) {
  const double u = node.unit();
  const Real log = log10_of(mel, op.floor), of_function = 6 * u * abs(log);
  const Real high = log10_of(mel + error, op.floor) + of_function, low = log10_of(mel - error, op.floor) - of_function;
  std::vector<std::int64_t> axes = {-1};
  if (op.maximum == ir::ops::MelMaximum::spectrogram) axes.push_back(-2);
  const auto largest = [&](Real x) {
    return node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, axes, true}, {x});
  };
  const Real lowest = largest(log) - op.range, of_lowest = u * abs(lowest);
  const Real kept = max(log, lowest);
  const Real of_kept =
      change(kept, max(low, largest(low) - op.range - of_lowest), max(high, largest(high) - op.range + of_lowest));
  return 0.25 * of_kept + u * abs(node.y());
}

/// The error of bands, 0 for those into which a NaN or an infinity comes: they are what they are in every order. Bands
/// of f64 whose sizes leave the range keep an infinite one, since another order makes another number of them.
Real of_finite_operands(Real power, Real filters, Real error) {
  using ir::ops::Reduce, ir::ops::ReduceFunction;
  const auto total = [](Real x, bool keeps) {
    return x.builder->apply(Reduce{ReduceFunction::sum, {-1}, keeps}, {0 * x});
  };
  const Real is_finite = power.builder->apply(ir::ops::Classify{ir::ops::FloatClass::is_finite},
                                              {total(power, true) + total(filters, false)});
  return power.builder->apply(ir::ops::Where{}, {is_finite, error, power.builder->constant(0)});
}

Bound rounding(const LogMel& op, const Node& node) {
  const Real power = node.in[0], filters = node.in[1], mel = bands_of(power, filters);
  const Bound of_band = dot(node, {.count = filters.shape()[1],
                                   .sum = mel,
                                   .magnitude = bands_of(abs(power), abs(filters)),
                                   .squares = bands_of(square(power), square(filters)),
                                   .exact = has_exact_products(node)});
  const auto of_result = [&](Real error) {
    return through_logarithms(op, node, mel, of_finite_operands(power, filters, error));
  };
  return {of_result(of_band.probable), of_result(of_band.certain)};
}

}  // namespace

Model error_model(const LogMel& op) {
  Model model{.rounding = [op](const Node& node) { return rounding(op, node); }, .carried = by_difference};
  model.line = LineAxes{op.maximum == ir::ops::MelMaximum::frame ? -1 : -2, -1};
  return model;
}

}  // namespace plumb::parity::bounds
