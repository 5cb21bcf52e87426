#pragma once

#include <algorithm>
#include <vector>

#include "ir/tensor.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {

/// Whether a comes before b where -inf < finite < +inf < NaN, -0 is +0 and all NaN
/// are equal (ops.md 1.5).
template <class C>
bool precedes(C a, C b) {
  if constexpr (std::is_floating_point_v<C>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

/// found(line, k) for every line of x: the position of its extreme, by better(a, b)
/// on values in the compute type. Among equals the first, or the last. Neighbouring
/// lines are walked together, as memory is.
template <class T, class Better, class Found>
void find_extremes(std::span<const T> x, const ir::Lines& lines, bool select_last, const Better& better,
                   const Found& found) {
  using C = ir::compute_t<T>;
  constexpr std::int64_t together = 64;
  const std::int64_t across = (lines.inner + together - 1) / together, width = std::min(lines.inner, together);
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, lines.length * width));
  parallel_for(lines.outer * across, grain, [&](std::int64_t block, std::int64_t end) {
    C best[together];
    std::int64_t at[together];
    for (; block < end; ++block) {
      const std::int64_t column = block % across * together, line = block / across * lines.inner + column;
      const std::int64_t columns = std::min(together, lines.inner - column);
      for (std::int64_t k = 0; k < lines.length; ++k) {
        const T* const row = x.data() + lines.at(line, k);
        for (std::int64_t c = 0; c < columns; ++c) {
          const C value = static_cast<C>(row[c]);
          if (k > 0 && (select_last ? better(best[c], value) : !better(value, best[c]))) continue;
          best[c] = value;
          at[c] = k;
        }
      }
      for (std::int64_t c = 0; c < columns; ++c) found(line + c, at[c]);
    }
  });
}

}  // namespace plumb::ref_cpu::kernels
