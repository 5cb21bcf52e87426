// A norm's factor and shift of each channel, multiplied into the filters and the bias before it.
#include "ir/kernels/folded_norm.hpp"

#include <cmath>

namespace plumb::ir::kernels {

std::optional<FoldedNorm> folded_norm(Tensor filters, std::span<const Tensor> channels, double epsilon) {
  if (filters.elements() == 0) return std::nullopt;
  const auto at = [&](std::size_t which, std::size_t c) { return channels[which].as<double>()[c]; };
  const auto count = static_cast<std::size_t>(filters.shape()[0]);
  const std::size_t each = filters.as<double>().size() / count;
  FoldedNorm made{std::move(filters), Tensor({DType::f64, {static_cast<std::int64_t>(count)}})};
  for (std::size_t c = 0; c < count; ++c) {
    const double factor = at(0, c) / std::sqrt(at(3, c) + epsilon);
    const double own = channels.size() > 4 ? at(4, c) : 0;
    made.bias.as<double>()[c] = (own - at(2, c)) * factor + at(1, c);
    if (!std::isfinite(factor) || !std::isfinite(made.bias.as<double>()[c])) return std::nullopt;
    for (double& weight : made.filters.as<double>().subspan(c * each, each)) weight *= factor;
  }
  return made;
}

}  // namespace plumb::ir::kernels
