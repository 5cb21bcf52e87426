// Strided copies on the host: row by row, or through square blocks where rows become columns.
#include "ref_cpu/kernels/strided_copy.hpp"

#include <algorithm>
#include <array>

#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

using ir::kernels::CopyAxis;

constexpr std::int64_t chunk_bytes = 1 << 17;  // per parallel chunk
constexpr std::int64_t side = 32;              // rows and columns of a transposed copy's block: 16 KiB at most

/// Both ends of a copy, in elements of `width` bytes.
template <std::size_t width>
struct Ends {
  const std::byte* from;
  std::byte* to;

  Ends moved(std::int64_t by_from, std::int64_t by_to) const {
    return {from + by_from * static_cast<std::int64_t>(width), to + by_to * static_cast<std::int64_t>(width)};
  }
  void copy(std::int64_t count) const { std::memcpy(to, from, static_cast<std::size_t>(count) * width); }
  void copy_one() const { std::memcpy(to, from, width); }
};

/// Walks all positions of some axes, the last fastest.
class Odometer {
 public:
  Odometer(std::span<const CopyAxis> axes, std::int64_t position) : axes_(axes) {
    for (std::size_t k = axes.size(); k-- > 0; position /= axes[k].extent) {
      at_[k] = position % axes[k].extent;
      from += at_[k] * axes[k].from;
      to += at_[k] * axes[k].to;
    }
  }

  void next() {
    for (std::size_t k = axes_.size(); k-- > 0;) {
      from += axes_[k].from;
      to += axes_[k].to;
      if (++at_[k] < axes_[k].extent) return;
      from -= at_[k] * axes_[k].from;
      to -= at_[k] * axes_[k].to;
      at_[k] = 0;
    }
  }

  std::int64_t from = 0, to = 0;

 private:
  std::span<const CopyAxis> axes_;
  std::array<std::int64_t, ir::max_rank> at_{};
};

std::int64_t positions(std::span<const CopyAxis> axes) {
  std::int64_t n = 1;
  for (const CopyAxis& axis : axes) n *= axis.extent;
  return n;
}

template <std::size_t width>
void copy_run(Ends<width> ends, CopyAxis axis) {
  if (axis.from == 1 && axis.to == 1) return ends.copy(axis.extent);
  if (axis.from == 0 && axis.to == 1) {  // one value: what is filled doubles
    ends.copy_one();
    for (std::int64_t done = 1; done < axis.extent; done *= 2)
      Ends<width>{ends.to, ends.moved(0, done).to}.copy(std::min(done, axis.extent - done));
    return;
  }
  for (std::int64_t k = 0; k < axis.extent; ++k) ends.moved(k * axis.from, k * axis.to).copy_one();
}

/// Row by row along the last axis; long rows in pieces.
template <std::size_t width>
void copy_rows(std::span<const CopyAxis> axes, Ends<width> ends) {
  const CopyAxis row = axes.back();
  const auto outer = axes.first(axes.size() - 1);
  const std::int64_t most = chunk_bytes / static_cast<std::int64_t>(width);
  const std::int64_t pieces = (row.extent + most - 1) / most, grain = std::max(most / row.extent, std::int64_t{1});
  parallel_for(positions(outer) * pieces, grain, [&](std::int64_t begin, std::int64_t end) {
    Odometer at(outer, begin / pieces);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % pieces * most, count = std::min(most, row.extent - first);
      copy_run(ends.moved(at.from + first * row.from, at.to + first * row.to), {count, row.from, row.to});
      if (i % pieces == pieces - 1) at.next();
    }
  });
}

/// The axis along which x is dense while it is not along the last one, if both are
/// long enough for blocks to pay; else the last.
std::size_t crossing_axis(std::span<const CopyAxis> axes) {
  const std::size_t last = axes.size() - 1;
  if (axes[last].from == 0 || axes[last].from == 1 || axes[last].extent < 4) return last;
  for (std::size_t k = 0; k < last; ++k)
    if (axes[k].from == 1 && axes[k].extent >= 4) return k;
  return last;
}

/// Rows of x become columns of y: `down.extent` elements of each of `row.extent` rows. They
/// pass through a block of their own, since columns of a large matrix tend to share cache
/// sets: every line of x and y is touched in one go.
template <std::size_t width>
void copy_block(Ends<width> ends, CopyAxis down, CopyAxis row) {
  std::array<std::byte, side * side * width> block;
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return &block[static_cast<std::size_t>(j * side + i) * width];
  };
  for (std::int64_t j = 0; j < row.extent; ++j)
    Ends<width>{ends.moved(j * row.from, 0).from, at(0, j)}.copy(down.extent);
  for (std::int64_t i = 0; i < down.extent; ++i)
    for (std::int64_t j = 0; j < row.extent; ++j) Ends<width>{at(i, j), ends.moved(0, i * down.to + j).to}.copy_one();
}

/// In blocks over the axis along which y is dense, and the one along which x is.
template <std::size_t width>
void copy_blocks(const PlannedCopy& plan, Ends<width> ends) {
  const CopyAxis down = plan.down, row = plan.row;
  const std::span<const CopyAxis> axes = plan.copy.axes;
  const std::int64_t high = (down.extent + side - 1) / side, wide = (row.extent + side - 1) / side;
  const std::int64_t grain = std::max(chunk_bytes / (side * side * static_cast<std::int64_t>(width)), std::int64_t{1});
  parallel_for(positions(axes) * high * wide, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const Odometer at(axes, block / (high * wide));
      const std::int64_t i0 = block / wide % high * side, j0 = block % wide * side;
      copy_block(ends.moved(at.from + i0 + j0 * row.from, at.to + i0 * down.to + j0),
                 {std::min(side, down.extent - i0), 1, down.to}, {std::min(side, row.extent - j0), row.from, 1});
    }
  });
}

}  // namespace

PlannedCopy::PlannedCopy(const ir::kernels::StridedCopy& given)
    : copy(given.simplified()), is_empty(copy.elements() == 0) {
  if (is_empty || copy.axes.empty()) return;
  const std::size_t across = crossing_axis(copy.axes);
  is_by_blocks = across + 1 < copy.axes.size();
  if (!is_by_blocks) return;
  down = copy.axes[across];
  row = copy.axes.back();
  copy.axes.pop_back();
  copy.axes.erase(copy.axes.begin() + static_cast<std::ptrdiff_t>(across));
}

void strided_copy(const PlannedCopy& plan, std::span<const std::byte> from, std::span<std::byte> to) {
  if (plan.is_empty) return;
  const ir::kernels::StridedCopy& copy = plan.copy;
  with_width(copy.width, [&]<std::size_t width>(std::integral_constant<std::size_t, width>) {
    const auto ends = Ends<width>{from.data(), to.data()}.moved(copy.from, copy.to);
    if (plan.is_by_blocks) return copy_blocks(plan, ends);
    if (copy.axes.empty()) return ends.copy_one();
    copy_rows<width>(copy.axes, ends);
  });
}

}  // namespace plumb::ref_cpu::kernels
