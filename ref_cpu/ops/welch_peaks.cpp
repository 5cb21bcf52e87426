// Means of bins over segments, one chain each, in the compute type, and the largest of them in the total order.
#include "ir/ops/welch_peaks.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/sorting.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

template <class C>
ScratchVector<C> means_of(const ir::ops::WelchPeaks& op, const C* power, const ir::Shape& shape) {
  const std::int64_t bins = shape.back(), segments = shape[shape.size() - 2];
  const std::int64_t rows = shape.elements() / (bins * segments);
  ScratchVector<C> means(static_cast<std::size_t>(rows * bins), C{0});
  parallel_for(rows, std::max<std::int64_t>(1, (1 << 16) / (bins * segments)), [&](std::int64_t row, std::int64_t end) {
    for (; row < end; ++row) {
      C* const mean = means.data() + row * bins;
      for (std::int64_t s = 0; s < segments; ++s)
        for (std::int64_t j = 0; j < bins; ++j) mean[j] += power[(row * segments + s) * bins + j];
      for (std::int64_t j = 0; j < bins; ++j)
        mean[j] = mean[j] / static_cast<C>(segments) * static_cast<C>(op.times(j));
    }
  });
  return means;
}

}  // namespace

void run(const ir::ops::WelchPeaks& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> power(call.in(0));
    const ScratchVector<C> means = means_of(op, power.data(), shape);
    const auto count = static_cast<std::int64_t>(means.size()) / shape.back();
    const ir::Lines lines{count, shape.back(), 1};
    ScratchVector<C> peaks(static_cast<std::size_t>(count * op.k));
    ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
      kernels::sort_lines(std::span<const C>(means), lines, {.k = op.k, .descending = true}, std::span(peaks),
                          call.out(0).as<Index>());
    });
    std::ranges::transform(peaks, call.out(1).as<T>().begin(), [](C peak) { return static_cast<T>(peak); });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::WelchPeaks&, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  return {{.of = ir::SumName::mean, .unit = ir::SumUnit::separate, .levels = {{}}}};
}

}  // namespace plumb::ref_cpu
