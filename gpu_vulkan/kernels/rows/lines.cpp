// How lanes and slices of a line add up with compensation, as the levels of a sum record.
#include "gpu_vulkan/kernels/rows/lines.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

std::vector<ir::SumLevel> compensated_levels(const LineShare& share, const LineShare& second) {
  using common::compensated;
  std::vector<ir::SumLevel> levels = {compensated(common::chain()), compensated(common::lanes(share.lanes))};
  if (share.slices > second.lanes) levels.push_back(compensated(common::chain()));
  if (share.slices > 1) levels.push_back(compensated(common::lanes(second.lanes)));
  return common::without_single(std::move(levels));
}

}  // namespace plumb::gpu_vulkan::kernels::rows
