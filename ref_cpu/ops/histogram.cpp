// Counts by binary search among the edges, which decide exactly, in stretches of x whose counts are added.
#include "ir/ops/histogram.hpp"

#include <mutex>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// Whether edge <= x, for integers of any size, too.
template <class T>
bool starts_at_or_before(double edge, T x) {
  if constexpr (std::is_integral_v<T>) {
    // Every number of 64 bits lies within [−2^63, 2^63), where a double without a fraction is one.
    const double whole = std::ceil(edge);
    if (whole < -0x1p63) return true;
    return whole < 0x1p63 && static_cast<std::int64_t>(whole) <= static_cast<std::int64_t>(x);
  } else {
    return edge <= static_cast<double>(x);
  }
}

template <class T>
bool is_beyond(double last, T x) {
  if constexpr (std::is_integral_v<T>) {
    const double whole = std::floor(last);
    if (whole < -0x1p63) return true;
    return whole < 0x1p63 && static_cast<std::int64_t>(x) > static_cast<std::int64_t>(whole);
  } else {
    return !(static_cast<double>(x) <= last);  // a NaN, too
  }
}

}  // namespace

void run(const ir::ops::Histogram& op, Call& call) {
  const auto& edges = call.kept([&] { return op.edges(call.in(0).dtype()); });
  const auto end_of_starts = edges.end() - 1;
  ScratchVector<std::uint64_t> counts(static_cast<std::size_t>(op.bins), 0);
  std::mutex adding;
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    const auto x = call.in(0).as<T>();
    parallel_for(call.in(0).elements(), 1 << 14, [&](std::int64_t i, std::int64_t end) {
      ScratchVector<std::uint64_t> here(counts.size(), 0);
      for (; i < end; ++i) {
        const auto value = x[static_cast<std::size_t>(i)];
        if (is_beyond(edges.back(), value)) continue;
        const auto next = std::partition_point(edges.begin(), end_of_starts,
                                               [&](double edge) { return starts_at_or_before(edge, value); });
        if (next != edges.begin()) ++here[static_cast<std::size_t>(next - edges.begin() - 1)];
      }
      const std::lock_guard lock(adding);  // sums of integers have no order
      for (std::size_t bin = 0; bin < counts.size(); ++bin) counts[bin] += here[bin];
    });
  });
  ir::visit_index(op.index_dtype, [&]<class T>(T) {
    std::ranges::transform(counts, call.out(0).as<T>().data(), [](std::uint64_t n) { return static_cast<T>(n); });
  });
}

}  // namespace plumb::ref_cpu
