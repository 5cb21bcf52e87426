#pragma once

#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "ir/kernels/scatter.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {

/// Updates [outer, count, inner] that go to rows of output 0, [outer, rows, inner].
struct ScatteredUpdates {
  plan::Slot updates;
  std::int64_t count, rows, outer = 1, inner = 1;
};

/// Where the updates go, by the kernel's indices: what scatter_targets.comp is told.
struct ScatterTargets {
  std::string_view variant;
  std::uint32_t index_words, axes = 1, tuple_length = 1;
  plan::Push push;
};
ScatterTargets element_targets(const ir::TensorType& x, const ir::TensorType& indices, std::int64_t axis,
                               const plan::Lowering& node);
ScatterTargets tuple_targets(const ir::Shape& x, const ir::TensorType& indices, std::int64_t tuples,
                             const plan::Lowering& node);

/// Output 0 is input 0, into which every target takes the last of its updates. It is written over input 0 where nobody
/// else reads that, and then not at all once an index is out of range.
void scatter_last(const ScatteredUpdates& updates, const ScatterTargets& targets, plan::Slot indices,
                  plan::Lowering& node);

/// The tensor that the updates of scatter_reduced are combined with.
enum class ScatterOnto { zeros, operand };

/// Output 0 is input 0, or 0, combined with the updates of each row; written over input 0 as by scatter_last.
void scatter_reduced(ir::kernels::ScatterReduction reduction, ScatterOnto onto, const ScatteredUpdates& updates,
                     const ScatterTargets& targets, plan::Slot indices, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::indexing
