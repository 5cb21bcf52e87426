// How many elements have this bin as the last whose edge they reach.
#include "ir/ops/histogram.hpp"

#include <cmath>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Histogram& op, const Call& call) {
  const auto first = static_cast<double>(call.attribute(op.min)), last = static_cast<double>(call.attribute(op.max));
  const double step = (last - first) / static_cast<double>(op.bins);
  const auto edge = [&](std::int64_t i) -> long double {
    const double forward = static_cast<double>(i) * step, at = first + forward;
    return at < last ? at : last;
  };
  const std::int64_t bin = call.at(0);
  const bool is_last = bin == op.bins - 1;
  std::uint64_t count = 0;
  for_each(call.in(0), [&](const Position& at) {
    const Real given = call.real(0, at);
    if (given.off > 0) throw NoAnswer{};  // a rounding could decide it
    const long double x = given.value;    // long double holds every integer of 64 bits
    if (!(x <= last) || x < edge(bin)) return;
    if (is_last || x < edge(bin + 1)) ++count;
  });
  return wrap(op.index_dtype, count);
}

}  // namespace plumb::parity::element
