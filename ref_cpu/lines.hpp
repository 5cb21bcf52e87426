#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ir/tensor.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

/// For each line of x: transform(line) changes it in place, contiguous and in the
/// compute type; y receives it, rounded once. Neighbouring lines of an inner
/// axis travel together, so that memory is read along rows.
template <class T, class Transform>
void transform_lines(std::span<const T> x, std::span<T> y, const ir::Lines& lines, const Transform& transform) {
  using C = ir::compute_t<T>;
  const std::int64_t together = std::min<std::int64_t>(lines.inner, 16);
  const std::int64_t across = (lines.inner + together - 1) / together;
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, lines.length * together));
  parallel_for(lines.outer * across, grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<C> held(static_cast<std::size_t>(lines.length * together));
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block % across * together, width = std::min(together, lines.inner - column);
      const std::int64_t first = block / across * lines.length * lines.inner + column;
      const T* const from = x.data() + first;
      T* const to = y.data() + first;
      for (std::int64_t k = 0; k < lines.length; ++k)
        for (std::int64_t c = 0; c < width; ++c)
          held[static_cast<std::size_t>(c * lines.length + k)] = static_cast<C>(from[k * lines.inner + c]);
      for (std::int64_t c = 0; c < width; ++c)
        transform(std::span(held).subspan(static_cast<std::size_t>(c * lines.length),
                                          static_cast<std::size_t>(lines.length)));
      for (std::int64_t k = 0; k < lines.length; ++k)
        for (std::int64_t c = 0; c < width; ++c)
          to[k * lines.inner + c] = static_cast<T>(held[static_cast<std::size_t>(c * lines.length + k)]);
    }
  });
}

}  // namespace plumb::ref_cpu
