// Where the first of the extremes is, or the last; a NaN is more extreme than any number.
#include "ir/ops/arg_reduce.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ArgReduce& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.in(0).size());
  Position in_x = call.at();
  if (!op.keep_dims) in_x.insert(in_x.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  const std::size_t axes[] = {axis};
  const std::vector<Real> line = reals_of(call, in_x, axes);
  const bool is_max = op.function == ir::ops::ArgReduceFunction::max;
  const auto is_less_extreme = [&](Real a, Real b) {
    if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value) && std::isnan(b.value);
    return is_max ? less(a, b) : less(b, a);
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < line.size(); ++k) {
    const bool is_no_less = !is_less_extreme(line[k], line[best]);
    if (op.select_last ? is_no_less : is_less_extreme(line[best], line[k])) best = k;
  }
  return {Real(static_cast<std::int64_t>(best))};
}

}  // namespace plumb::parity::element
