#pragma once

#include <algorithm>
#include <span>

#include "ir/tensor.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// Some neighbouring lines, contiguous and in the compute type.
template <class T>
class HeldLines {
 public:
  using C = ir::compute_t<T>;

  HeldLines(const ir::Lines& lines, std::int64_t together)
      : length_(lines.length), inner_(lines.inner), values_(static_cast<std::size_t>(lines.length * together)) {}

  std::span<C> line(std::int64_t c) {
    return std::span(values_).subspan(static_cast<std::size_t>(c * length_), static_cast<std::size_t>(length_));
  }
  /// The `width` lines that start at `from`. They are read a row at a time, as memory is.
  void load(const T* from, std::int64_t width) {
    C* const to = values_.data();
    if (inner_ == 1) return copy<C>(from, length_, to);
    for (std::int64_t k = 0; k < length_; ++k)
      for (std::int64_t c = 0; c < width; ++c) to[c * length_ + k] = static_cast<C>(from[k * inner_ + c]);
  }
  /// To the lines that start at `to`, rounded.
  void store(T* to, std::int64_t width) const {
    const C* const from = values_.data();
    if (inner_ == 1) return copy<T>(from, length_, to);
    for (std::int64_t k = 0; k < length_; ++k)
      for (std::int64_t c = 0; c < width; ++c) to[k * inner_ + c] = static_cast<T>(from[c * length_ + k]);
  }

 private:
  template <class To, class From>
  static void copy(const From* from, std::int64_t count, To* to) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<To>(from[k]);
  }

  std::int64_t length_, inner_;
  ScratchRoom<C> values_;
};

/// For each line of x: transform(line) changes it in place, contiguous and in the
/// compute type; y receives it, rounded once.
template <class T, class Transform>
void transform_lines(std::span<const T> x, std::span<T> y, const ir::Lines& lines, const Transform& transform) {
  const std::int64_t together = std::min<std::int64_t>(lines.inner, 16);
  const std::int64_t across = (lines.inner + together - 1) / together;
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, lines.length * together));
  parallel_for(lines.outer * across, grain, [&](std::int64_t begin, std::int64_t end) {
    HeldLines<T> held(lines, together);
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block % across * together, width = std::min(together, lines.inner - column);
      const std::int64_t first = block / across * lines.length * lines.inner + column;
      held.load(x.data() + first, width);
      for (std::int64_t c = 0; c < width; ++c) transform(held.line(c));
      held.store(y.data() + first, width);
    }
  });
}

}  // namespace plumb::ref_cpu::kernels
