#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {

/// 32-bit words of an index.
constexpr std::uint32_t index_words(ir::DType dtype) { return dtype == ir::DType::i64 ? 2 : 1; }

/// Where in x the line of every element of `indices` starts, for ops that take or put
/// single elements along an axis: what glsl/indexed_elements.glsl declares as its push
/// constants.
struct IndexedElements {
  std::uint32_t count, extent, stride;  ///< elements of indices; the axis of x
  std::uint32_t node;
  std::array<std::uint32_t, 7> multipliers{};
  std::array<std::uint8_t, 8> shifts{};
  std::array<std::uint32_t, 8> steps{};
};

struct IndexedLayout {
  IndexedElements block;
  std::uint32_t axes;
};
IndexedLayout indexed_elements(const ir::Shape& x, const ir::Shape& indices, std::int64_t axis,
                               std::uint32_t node_number);

/// Which slice of x every tuple of indices means: what glsl/index_tuples.glsl declares.
struct IndexTuples {
  std::array<std::uint32_t, 2> by_in_batch;  ///< a Divisor: of tuples in every element of the batch
  std::uint32_t of_x;                        ///< slices of x in every element of the batch
  std::uint32_t node;
  std::array<std::uint32_t, 8> extents{}, strides{};  ///< extents and strides (in slices) of the indexed axes
};
IndexTuples index_tuples(const ir::Shape& x, const ir::Shape& indices, std::int64_t batch_dims,
                         std::uint32_t node_number);

}  // namespace plumb::gpu_vulkan::kernels::indexing
