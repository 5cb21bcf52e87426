// Error model of peaks whoever has them, of errors in total: the k-th largest of means moves no further than the mean
// that moves most. What a kernel gives is held to the bins that it names (parity/judges).
#include "ir/ops/welch_peaks.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The largest of what bins, none of which counts more than twice, are off: for every peak.
Real largest(const Node& node, Real of_bins) {
  const Real most = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {-1}, true}, {2 * of_bins});
  return filled(most, node.y().shape());
}

Real mean_of_segments(Real x, double segments) {
  return x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::sum, {-2}, false}, {x}) / segments;
}

Bound of_peaks(const Node& node) {
  const Real power = node.in[0];
  const ir::Shape shape = power.shape();
  const std::int64_t count = shape[shape.size() - 2];
  const auto segments = static_cast<double>(count);
  const Real mean = mean_of_segments(power, segments);
  const Bound of_sum = dot(node, {.count = count,
                                  .sum = segments * mean,
                                  .magnitude = segments * mean_of_segments(abs(power), segments),
                                  .squares = segments * mean_of_segments(square(power), segments),
                                  .exact = true});
  const auto of_bins = [&](Real error) { return finite_or_zero(error / segments + node.unit() * abs(mean)); };
  return {largest(node, of_bins(of_sum.probable)), largest(node, of_bins(of_sum.certain))};
}

}  // namespace

Model error_model(const ir::ops::WelchPeaks&) {
  return {.rounding = of_peaks, .carried = [](const Node& node, const Errors& errors) {
            const ir::Shape shape = node.in[0].shape();
            return largest(node, mean_of_segments(*errors[0], static_cast<double>(shape[shape.size() - 2])));
          }};
}

}  // namespace plumb::parity::bounds
