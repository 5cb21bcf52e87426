// Where the bins of a histogram start. Both executors compare with these numbers, so that no rounding decides a count.
#include "ir/ops/histogram.hpp"

namespace plumb::ir::ops {

// Not in the header: what a compiler contracts may depend on who includes it.
std::vector<double> Histogram::edges(DType x) const {
  const double first = real_of(x, min), last = real_of(x, max);
  const double step = (last - first) / static_cast<double>(bins);
  std::vector<double> starts;
  for (std::int64_t i = 0; i < bins; ++i) {
    const double forward = static_cast<double>(i) * step;
    // Also where it is NaN, of an interval wider than the largest double: no x below max reaches such an edge.
    starts.push_back(std::min(last, first + forward));
  }
  starts.push_back(last);
  return starts;
}

}  // namespace plumb::ir::ops
