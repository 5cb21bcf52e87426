// (max(L, X − range) + 4)/4, L being the logarithm of the element's band and X that of the largest that shares it.
#include "ir/ops/log_mel.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

constexpr long double log10_of_e = 0.434294481903251827651128918916605082L;

Real log_of_band(const ir::ops::LogMel& op, const Call& call, Position frame, std::int64_t band) {
  Sum sum;
  for (frame.back() = 0; frame.back() < call.in(1)[1]; ++frame.back())
    sum.add(call.real(1, {band, frame.back()}), call.real(0, frame));
  return rounded(log10_of_e, 0) * log(maximum(sum.total(), Real(call.attribute(op.floor))));
}

}  // namespace

Number element(const ir::ops::LogMel& op, const Call& call) {
  constexpr std::int64_t most_terms = 1 << 16;  // an element takes those of all that share its maximum
  Position frame = call.at();
  const std::size_t of_frames = frame.size() - 2;
  const bool is_frame = op.maximum == ir::ops::MelMaximum::frame;
  const std::int64_t first = is_frame ? frame[of_frames] : 0, end = is_frame ? first + 1 : call.out()[of_frames];
  if ((end - first) * call.out().back() * call.in(1)[1] > most_terms) throw NoAnswer();
  Real largest(-std::numeric_limits<long double>::infinity());
  for (frame[of_frames] = first; frame[of_frames] < end; ++frame[of_frames])
    for (std::int64_t band = 0; band < call.out().back(); ++band)
      largest = maximum(largest, log_of_band(op, call, frame, band));
  const Real own = log_of_band(op, call, call.at(), call.at().back());
  const Real kept = maximum(own, largest - Real(call.attribute(op.range)));
  return (kept + Real(4)) / Real(4);
}

}  // namespace plumb::parity::element
