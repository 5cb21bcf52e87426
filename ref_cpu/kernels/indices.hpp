#pragma once

#include <vector>

#include "ir/tensor.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// The position in [0, extent(i)) that indices[i] means, for every i. Throws Error at the
/// first that means none.
template <class Extent>
ScratchVector<std::int64_t> positions_of(const ir::TensorView& indices, const Extent& extent) {
  ScratchVector<std::int64_t> positions;
  positions.reserve(static_cast<std::size_t>(indices.elements()));
  ir::visit_index(indices.dtype(), [&]<class T>(T) {
    for (const T index : indices.as<T>()) {
      const std::int64_t n = extent(positions.size());
      ir::require(-n <= index && index < n, "indices[", positions.size(), "] is ", index, ", outside [", -n, ", ", n,
                  ")");
      positions.push_back(index < 0 ? index + n : index);
    }
  });
  return positions;
}

/// Tuples of indices, one a row of `indices`, into the leading axes of a tensor of shape
/// `x`: the number of the slice that each means.
inline ScratchVector<std::int64_t> slices_of(const ir::TensorView& indices, const ir::Shape& x) {
  const auto m = static_cast<std::size_t>(indices.shape().back());
  const auto positions = positions_of(indices, [&](std::size_t i) { return x[i % m]; });
  ScratchVector<std::int64_t> slices(positions.size() / m);
  for (std::size_t i = 0; i < positions.size(); ++i) slices[i / m] = slices[i / m] * x[i % m] + positions[i];
  return slices;
}

/// Elements of x at indices along an axis. indices may be shorter than x on other axes.
struct IndexedElements {
  ir::Lines lines;                         ///< lines of the indices
  std::vector<std::int64_t> outer, inner;  ///< where in x each position on the axes before and behind `axis` is
  std::int64_t stride;                     ///< stride of the axis in x

  IndexedElements(const ir::Shape& x, const ir::Shape& indices, std::int64_t axis) : lines(ir::along(indices, axis)) {
    const std::size_t a = x.axis(axis);
    const auto strides = x.strides();
    stride = strides[a];
    outer = offsets(indices, strides, 0, a);
    inner = offsets(indices, strides, a + 1, x.size());
  }

  /// Where in x element k of a line is, which has this index.
  std::size_t at(std::int64_t line, std::int64_t index) const {
    return static_cast<std::size_t>(outer[static_cast<std::size_t>(line / lines.inner)] + index * stride +
                                    inner[static_cast<std::size_t>(line % lines.inner)]);
  }

 private:
  static std::vector<std::int64_t> offsets(const ir::Shape& extents, const std::vector<std::int64_t>& strides,
                                           std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> found = {0};
    for (std::size_t k = begin; k < end; ++k) {
      std::vector<std::int64_t> longer;
      for (const std::int64_t offset : found)
        for (std::int64_t j = 0; j < extents[k]; ++j) longer.push_back(offset + j * strides[k]);
      found = std::move(longer);
    }
    return found;
  }
};

}  // namespace plumb::ref_cpu::kernels
