#pragma once

#include <functional>
#include <vector>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/dtype.hpp"

namespace plumb::gpu_vulkan::calibrate {

/// Told what is next, and how many of how many sizes are done.
using CalibrateProgress = std::function<void(std::string_view what, std::size_t done, std::size_t sizes)>;

/// How much is measured.
struct CalibrateEffort {
  double warm_ms = 400;         ///< work before measuring: an idle GPU takes that long to reach its clock rate
  double budget_ms = 4;         ///< device time for each tile and size, at least three runs
  double longest_ms = 50;       ///< a size whose first tile takes longer is left out, and larger ones with it
  std::int64_t largest = 2048;  ///< the largest m, k or n
  std::vector<ir::DType> dtypes = {ir::DType::f32, ir::DType::f16, ir::DType::bf16};  ///< operands of products
  std::size_t transfer_bytes = std::size_t{256} << 20;
};

/// A device that is opened once, to be measured.
class Calibrator {
 public:
  /// Opens the device that the options name. Throws Unsupported where it has no timestamps.
  explicit Calibrator(device::VulkanOptions options);

  const device::DeviceFacts& facts() const { return executor_.facts(); }

  /// Measures what Calibration has: every tile of the kernels of products, for sizes from 32 to 2048 by factors of 4;
  /// transfers; and the latency of a small run.
  device::Calibration measure(const CalibrateEffort& effort, const CalibrateProgress& progress);

 private:
  VulkanExecutor executor_;
};

}  // namespace plumb::gpu_vulkan::calibrate
