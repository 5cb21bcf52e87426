// Calibration in a build without Vulkan (PLUMB_VULKAN=OFF): no device is opened.
#include "gpu_vulkan/calibrate/calibrate.hpp"

namespace plumb::gpu_vulkan::calibrate {

Calibrator::Calibrator(device::VulkanOptions options) : executor_(std::move(options)) {}
device::Calibration Calibrator::measure(const CalibrateEffort&, const CalibrateProgress&) { return {}; }

}  // namespace plumb::gpu_vulkan::calibrate
