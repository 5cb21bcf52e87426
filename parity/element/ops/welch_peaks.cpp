// One of the k largest means of bins, or the bin that has it, if no other mean may be it.
#include "ir/ops/welch_peaks.hpp"

#include <algorithm>
#include <numeric>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::WelchPeaks& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  const std::int64_t segments = call.in(0)[rank - 2], bins = call.in(0)[rank - 1];
  Position in_power = call.at();
  in_power.push_back(0);
  std::vector<Real> means;
  for (std::int64_t j = 0; j < bins; ++j) {
    Sum sum;
    in_power[rank - 1] = j;
    for (std::int64_t s = 0; s < segments; ++s) {
      in_power[rank - 2] = s;
      sum.add(call.real(0, in_power));
    }
    means.push_back(sum.total() / Real(segments) * Real(j == 0 || 2 * j == op.fft_length ? 1 : 2));
  }
  std::vector<std::int64_t> places(means.size());
  std::iota(places.begin(), places.end(), 0);
  const auto mean = [&](std::int64_t j) { return means[static_cast<std::size_t>(j)]; };
  std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) { return comes_before(mean(b), mean(a)); });
  const std::int64_t place = places[static_cast<std::size_t>(call.at().back())];
  return call.output() == 0 ? Number{Real(place)} : Number{mean(place)};
}

}  // namespace plumb::parity::element
