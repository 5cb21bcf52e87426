// Limits at an element, edges of the histograms, and a comparison in one line.
#include "parity/compare/compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "parity/compare/scan.hpp"

namespace plumb::parity::compare {
namespace {

double ulp_edge(int k) { return k == 0 ? 0 : std::ldexp(1.0, k - 7); }
double ratio_edge(int k) { return k == 0 ? 0 : std::exp2(0.5 * (k - 1) - 16); }

}  // namespace

double ulp_of(double y, ir::DType dtype) {
  return ir::unit_roundoff(dtype) == 0 ? 1 : core::float_format(dtype).ulp(y);
}

double Allowed::at(double magnitude, ir::DType dtype, std::uint64_t index) const {
  return Limit(*this, dtype).at(magnitude, index);
}

std::array<double, Comparison::ulp_bins> ulp_edges() {
  std::array<double, Comparison::ulp_bins> edges;
  for (int k = 0; k < ulp_half; ++k) {
    edges[static_cast<std::size_t>(ulp_half + k)] = ulp_edge(k);
    edges[static_cast<std::size_t>(ulp_half - 1 - k)] =
        k == ulp_half - 1 ? -std::numeric_limits<double>::infinity() : -ulp_edge(k + 1);
  }
  return edges;
}

std::array<double, Comparison::ratio_bins> ratio_edges() {
  std::array<double, Comparison::ratio_bins> edges;
  for (std::size_t k = 0; k < edges.size(); ++k) edges[k] = ratio_edge(static_cast<int>(k));
  return edges;
}

std::string summary(const Comparison& comparison) {
  const auto& c = comparison;
  if (c.agrees()) return fmt::format("all {} elements agree; the largest error is {:.3g}", c.n, c.max_abs.value);
  const Worst& w = c.worst.front();
  const auto times = std::isinf(w.ratio) ? std::string() : fmt::format(", {:.3g} times the tolerance,", w.ratio);
  const char* defect = c.ratio_certain > 1 ? "; no order of rounding explains it" : "";
  return fmt::format("{} of {} elements differ; the worst{} is element {}: expected {:.9g}, got {:.9g}{}", c.n_bad, c.n,
                     times, w.index, w.expected, w.got, defect);
}

}  // namespace plumb::parity::compare
