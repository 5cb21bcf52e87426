// Convolution as direct sums: pieces of a line, in which each tap of the filter is added to all samples that it meets.
#include "ir/ops/convolve.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

constexpr std::int64_t samples_at_once = 512;  ///< sums that stay in the nearest cache beside what they meet

/// Samples [first, first + count) of one line of y, as one chain each, the first tap of the filter first.
template <class C>
void add_all_taps(const C* x, std::int64_t length, const C* h, std::int64_t taps, std::int64_t first,
                  std::int64_t count, C* sums) {
  std::fill_n(sums, count, C{0});
  const std::int64_t end = std::min(taps, first + count);
  for (std::int64_t k = std::max<std::int64_t>(first - length + 1, 0); k < end; ++k) {
    const std::int64_t from = std::max<std::int64_t>(k - first, 0), to = std::min(k - first + length, count);
    const C* const met = x + first - k;
    const C weight = h[k];
    for (std::int64_t i = from; i < to; ++i) sums[i] += weight * met[i];
  }
}

}  // namespace

void run(const ir::ops::Convolve&, Call& call) {
  const std::int64_t length = call.in(0).shape().back(), taps = call.in(1).shape()[0];
  const std::int64_t samples = length + taps - 1, pieces = (samples + samples_at_once - 1) / samples_at_once;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> x(call.in(0)), h(call.in(1));
    T* const y = call.out(0).as<T>().data();
    const std::int64_t work = std::min(samples, samples_at_once) * ir::ops::Convolve::terms({length}, {taps});
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / work);
    parallel_for(call.out(0).shape().elements() / samples * pieces, grain, [&](std::int64_t piece, std::int64_t end) {
      C sums[samples_at_once];
      for (; piece < end; ++piece) {
        const std::int64_t line = piece / pieces, first = piece % pieces * samples_at_once;
        const std::int64_t count = std::min(samples_at_once, samples - first);
        add_all_taps(x.data() + line * length, length, h.data(), taps, first, count, sums);
        std::transform(sums, sums + count, y + line * samples + first, [](C sum) { return static_cast<T>(sum); });
      }
    });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::Convolve&, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  return {{.unit = ir::SumUnit::separate, .levels = {{}}}};
}

}  // namespace plumb::ref_cpu
