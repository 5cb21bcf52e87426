// Where single indices and index tuples point, as push constants of the gather and scatter shaders.
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "ir/kernels/strided_copy.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {

IndexedLayout indexed_elements(const ir::Shape& x, const ir::Shape& indices, std::int64_t axis,
                               std::uint32_t node_number) {
  const std::size_t a = x.axis(axis);
  const auto of_x = x.strides(), of_indices = indices.strides();
  ir::kernels::StridedCopy walk{.width = 16, .axes = {}};  // elements as wide as can be are not joined
  for (std::size_t k = 0; k < x.size(); ++k) walk.axes.push_back({indices[k], k == a ? 0 : of_x[k], of_indices[k]});
  auto axes = walk.simplified().axes;
  if (axes.empty()) axes.push_back({1, 0, 1});
  IndexedLayout layout{.block = {plan::word(indices.elements()), plan::word(x[a]), plan::word(of_x[a]), node_number},
                       .axes = plan::word(std::ssize(axes))};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const ir::kernels::CopyAxis inner = k + 1 < axes.size() ? axes[k + 1] : ir::kernels::CopyAxis{1, 0, 0};
    layout.block.steps[k] = plan::word(axes[k].from - inner.extent * inner.from);
    if (k == 0) continue;
    const common::Divisor divisor(axes[k].extent);
    layout.block.multipliers[k - 1] = divisor.multiplier;
    layout.block.shifts[k - 1] = static_cast<std::uint8_t>(divisor.shift);
  }
  return layout;
}

IndexTuples index_tuples(const ir::Shape& x, const ir::Shape& indices, std::int64_t batch_dims,
                         std::uint32_t node_number) {
  const auto b = static_cast<std::size_t>(batch_dims), m = static_cast<std::size_t>(indices.back());
  using Extents = std::span<const std::int64_t>;
  const ir::Shape axes(Extents(x).subspan(b, m));
  const std::int64_t in_batch = ir::Shape(Extents(indices).subspan(b, indices.size() - b - 1)).elements();
  const common::Divisor divisor(in_batch);
  IndexTuples tuples{
      .by_in_batch = {divisor.multiplier, divisor.shift}, .of_x = plan::word(axes.elements()), .node = node_number};
  const auto strides = axes.strides();
  for (std::size_t k = 0; k < m; ++k) {
    tuples.extents[k] = plan::word(axes[k]);
    tuples.strides[k] = plan::word(strides[k]);
  }
  return tuples;
}

}  // namespace plumb::gpu_vulkan::kernels::indexing
