#pragma once

#include "ref_cpu/kernels/total_order.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// Which elements of a line are wanted, and how they are to come.
struct Order {
  std::int64_t k = 0;       ///< the first so many
  bool descending = false;  ///< the largest first
  bool by_index = false;    ///< those, by their place in the line
};

/// values and indices of the first k elements of every line of x by the total order;
/// equal elements come by their place in the line.
template <class T, class Index>
void sort_lines(std::span<const T> x, const ir::Lines& lines, const Order& order, std::span<T> values,
                std::span<Index> indices) {
  using C = ir::compute_t<T>;
  const ir::Lines results{lines.outer, order.k, lines.inner};
  const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, lines.length));
  parallel_for(lines.count(), grain, [&](std::int64_t line, std::int64_t end) {
    ScratchVector<C> held(static_cast<std::size_t>(lines.length));
    ScratchVector<std::int64_t> at(held.size());
    const auto comes_first = [&](std::int64_t a, std::int64_t b) {
      const C x_a = held[static_cast<std::size_t>(a)], x_b = held[static_cast<std::size_t>(b)];
      if (order.descending ? precedes(x_b, x_a) : precedes(x_a, x_b)) return true;
      return a < b && !(order.descending ? precedes(x_a, x_b) : precedes(x_b, x_a));
    };
    for (; line < end; ++line) {
      for (std::size_t k = 0; k < held.size(); ++k) {
        held[k] = static_cast<C>(x[lines.at(line, static_cast<std::int64_t>(k))]);
        at[k] = static_cast<std::int64_t>(k);
      }
      const auto cut = at.begin() + order.k;
      if (cut != at.end()) std::nth_element(at.begin(), cut, at.end(), comes_first);
      if (order.by_index)
        std::sort(at.begin(), cut);
      else
        std::sort(at.begin(), cut, comes_first);
      for (std::int64_t k = 0; k < order.k; ++k) {
        const std::int64_t from = at[static_cast<std::size_t>(k)];
        values[results.at(line, k)] = x[lines.at(line, from)];
        indices[results.at(line, k)] = static_cast<Index>(from);
      }
    }
  });
}

}  // namespace plumb::ref_cpu::kernels
