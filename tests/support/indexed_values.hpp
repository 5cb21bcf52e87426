#pragma once

#include "ir/tensor.hpp"

namespace plumb::testing {

/// Indices in [-extent(i), extent(i)) for the element i of the tensor.
template <class Extent>
ir::Tensor indices_within(const ir::TensorType& type, std::uint64_t seed, const Extent& extent) {
  ir::Tensor tensor(type);
  ir::visit_index(type.dtype, [&]<class T>(T) {
    std::uint64_t state = seed;
    std::size_t i = 0;
    for (T& x : tensor.as<T>()) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto n = static_cast<std::uint64_t>(extent(i++));
      x = static_cast<T>(static_cast<std::int64_t>((state >> 33) % (2 * n)) - static_cast<std::int64_t>(n));
    }
  });
  return tensor;
}

/// Indices along an axis of this extent, for gather_elements and scatter_elements.
inline ir::Tensor axis_indices(const ir::TensorType& type, std::int64_t extent, std::uint64_t seed = 1) {
  return indices_within(type, seed, [extent](std::size_t) { return extent; });
}

/// Tuples of indices, one a row, into the axes of x from `first` on.
inline ir::Tensor tuple_indices(const ir::TensorType& type, const ir::Shape& x, std::size_t first = 0,
                                std::uint64_t seed = 1) {
  const auto m = static_cast<std::size_t>(type.shape.back());
  return indices_within(type, seed, [&](std::size_t i) { return x[first + i % m]; });
}

}  // namespace plumb::testing
