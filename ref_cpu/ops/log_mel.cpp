// Log-mel spectrogram frame by frame: bands side by side, bin after bin, then their logarithms and what they share.
#include "ir/ops/log_mel.hpp"

#include <algorithm>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

constexpr long double log10_e = 0.434294481903251827651128918916605082L;

/// Where either is NaN, that is the larger.
template <class C>
C larger_or_nan(C a, C b) {
  return b != b || (a <= b && a == a) ? b : a;
}

/// [M, b] as [b, M], so that bands are neighbours.
template <class C>
ScratchVector<C> bands_together(const C* filters, std::int64_t bands, std::int64_t bins) {
  ScratchVector<C> turned(static_cast<std::size_t>(bands * bins));
  for (std::int64_t m = 0; m < bands; ++m)
    for (std::int64_t j = 0; j < bins; ++j) turned[static_cast<std::size_t>(j * bands + m)] = filters[m * bins + j];
  return turned;
}

/// log10(maximum(mel, floor)) of one frame.
template <class C>
void log_bands(const C* power, const ScratchVector<C>& filters, std::int64_t bins, C least, std::span<C> logs) {
  const auto bands = static_cast<std::int64_t>(logs.size());
  std::ranges::fill(logs, C{0});
  for (std::int64_t j = 0; j < bins; ++j) {
    const C* const weights = filters.data() + j * bands;
    const C one = power[j];
    for (std::int64_t m = 0; m < bands; ++m) logs[static_cast<std::size_t>(m)] += one * weights[m];
  }
  for (C& one : logs) one = std::log(larger_or_nan(one, least)) * static_cast<C>(log10_e);
}

}  // namespace

void run(const ir::ops::LogMel& op, Call& call) {
  const ir::Shape& shape = call.out(0).shape();
  const std::int64_t bands = shape.back(), bins = call.in(1).shape()[1], frames = shape.elements() / bands;
  const std::int64_t scope = op.scope(shape);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> power(call.in(0)), filters(call.in(1));
    const ScratchVector<C> turned = bands_together(filters.data(), bands, bins);
    const C least = static_cast<C>(op.floor), range = static_cast<C>(op.range);
    ScratchVector<C> logs(static_cast<std::size_t>(shape.elements()));
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / (bands * bins + 1));
    parallel_for(frames, grain, [&](std::int64_t frame, std::int64_t end) {
      for (; frame < end; ++frame)
        log_bands(power.data() + frame * bins, turned, bins, least,
                  std::span(logs).subspan(static_cast<std::size_t>(frame * bands), static_cast<std::size_t>(bands)));
    });
    T* const y = call.out(0).as<T>().data();
    parallel_for(shape.elements() / scope, std::max<std::int64_t>(1, (1 << 15) / scope),
                 [&](std::int64_t number, std::int64_t end) {
                   for (; number < end; ++number) {
                     const C* const first = logs.data() + number * scope;
                     C peak = *first;
                     for (std::int64_t i = 1; i < scope; ++i) peak = larger_or_nan(first[i], peak);
                     const C lowest = peak - range;
                     std::transform(first, first + scope, y + number * scope,
                                    [lowest](C log) { return static_cast<T>((larger_or_nan(log, lowest) + 4) / 4); });
                   }
                 });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::LogMel&, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  return {{.unit = ir::SumUnit::separate, .levels = {{}}, .epilogue = {ir::SumStep::log10}}};
}

}  // namespace plumb::ref_cpu
