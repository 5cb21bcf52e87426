#pragma once

#include <memory>

#include "bench/gpu/case.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::bench {

/// How long a case is measured: until the budget is spent, but for at least and at most so
/// many runs.
struct Effort {
  double budget_ms = 60;
  double warm_ms = 400;  ///< warm-up by the host's clock: an idle GPU takes that long to reach its clock rate
  std::size_t least_runs = 7, most_runs = 200;
  double patience_ms = 3000;  ///< by the host's clock; when it is used up, least_runs are enough
};

/// The times and kernels of a case.
struct Measured {
  double ms = 0;                     ///< median of the runs
  double best_ms = 0, worst_ms = 0;  ///< the fastest and the slowest of these runs
  std::size_t runs = 0;
  std::vector<std::string> kernels;  ///< that ran, each once, in order
  /// Medians in microseconds: the parts of a latency, or the nodes of each kind in a model.
  std::map<std::string, double> parts_us;
};

/// Measures cases on one device.
class Measurer {
 public:
  /// `flushed_bytes` are written before every run whose time on the device is measured.
  Measurer(gpu_vulkan::device::VulkanOptions options, Effort effort, std::size_t flushed_bytes)
      : options_(std::move(options)), effort_(effort), flushed_bytes_(flushed_bytes) {}

  /// Throws Unsupported when there is no device that can be measured.
  std::string device();

  /// Throws Error when the case does not run wholly on the device.
  Measured measure(const Case& one);

 private:
  struct Device {
    std::unique_ptr<gpu_vulkan::VulkanExecutor> executor;
    std::unique_ptr<ir::Executable> flush;  ///< writes flushed_bytes
  };

  Device& with(gpu_vulkan::device::Timestamps timestamps, bool fuse);
  Measured gpu(const Case& one, const ir::Feeds& feeds);
  Measured host(const Case& one, const ir::Feeds& feeds);
  Measured resident(const Case& one, const ir::Feeds& feeds);
  std::map<std::string, double> parts_of(const Case& one, const ir::Feeds& feeds);

  gpu_vulkan::device::VulkanOptions options_;
  Effort effort_;
  std::size_t flushed_bytes_;
  std::map<std::pair<gpu_vulkan::device::Timestamps, bool>, Device>
      devices_;  ///< by timestamps and fuse, made when they are first asked for
};

}  // namespace plumb::bench
