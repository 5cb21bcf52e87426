// Strided copies in fewest axes and widest words, so that executors move as many bytes at once as they can.
#include "ir/kernels/strided_copy.hpp"

namespace plumb::ir::kernels {
namespace {

constexpr std::size_t widest = 16;  // bytes; what a GPU loads at once, and c128

/// Drops unit axes and merges neighbours that are one run in both tensors.
void merge_axes(std::vector<CopyAxis>& axes) {
  std::vector<CopyAxis> merged;
  for (const CopyAxis& axis : axes) {
    if (axis.extent == 1) continue;
    if (!merged.empty()) {
      CopyAxis& outer = merged.back();
      if (outer.from == axis.extent * axis.from && outer.to == axis.extent * axis.to) {
        outer = {outer.extent * axis.extent, axis.from, axis.to};
        continue;
      }
    }
    merged.push_back(axis);
  }
  axes = std::move(merged);
}

/// How many neighbours always move together: a power of two.
std::int64_t run_factor(const StridedCopy& copy) {
  if (copy.axes.empty() || copy.axes.back().from != 1 || copy.axes.back().to != 1) return 1;
  auto factor = static_cast<std::int64_t>(widest / copy.width);
  const auto align = [&](std::int64_t distance) {
    while (distance % factor != 0) factor /= 2;
  };
  align(copy.from);
  align(copy.to);
  align(copy.axes.back().extent);
  for (std::size_t k = 0; k + 1 < copy.axes.size(); ++k) {
    align(copy.axes[k].from);
    align(copy.axes[k].to);
  }
  return factor;
}

void widen_elements(StridedCopy& copy) {
  const auto factor = run_factor(copy);
  if (factor == 1) return;
  copy.width *= static_cast<std::size_t>(factor);
  copy.from /= factor;
  copy.to /= factor;
  copy.axes.back().extent /= factor;
  for (std::size_t k = 0; k + 1 < copy.axes.size(); ++k) {
    copy.axes[k].from /= factor;
    copy.axes[k].to /= factor;
  }
}

StridedCopy along_strides(DType dtype, const Shape& extents, const std::vector<std::int64_t>& from,
                          const std::vector<std::int64_t>& to) {
  StridedCopy copy{.width = info(dtype).bytes, .axes = {}};
  for (std::size_t k = 0; k < extents.size(); ++k) copy.axes.push_back({extents[k], from[k], to[k]});
  return copy;
}

}  // namespace

std::int64_t StridedCopy::elements() const {
  std::int64_t n = 1;
  for (const CopyAxis& axis : axes) n *= axis.extent;
  return n;
}

bool StridedCopy::is_plain() const {
  auto merged = axes;
  merge_axes(merged);
  return from == 0 && to == 0 && (merged.empty() || (merged.size() == 1 && merged[0].from == 1 && merged[0].to == 1));
}

StridedCopy StridedCopy::simplified() const {
  StridedCopy copy = *this;
  merge_axes(copy.axes);
  widen_elements(copy);
  merge_axes(copy.axes);  // an innermost run may have become one element
  return copy;
}

StridedCopy read_strided(DType dtype, const Shape& extents, const std::vector<std::int64_t>& strides,
                         std::int64_t from) {
  StridedCopy copy = along_strides(dtype, extents, strides, extents.strides());
  copy.from = from;
  return copy;
}

StridedCopy read_part(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start) {
  const auto strides = whole.shape.strides();
  return read_strided(whole.dtype, part, strides, start * strides[axis]);
}

StridedCopy write_part(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start) {
  const auto strides = whole.shape.strides();
  StridedCopy copy = along_strides(whole.dtype, part, part.strides(), strides);
  copy.to = start * strides[axis];
  return copy;
}

}  // namespace plumb::ir::kernels
