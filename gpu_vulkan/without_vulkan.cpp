// The Vulkan executor of a build without Vulkan (PLUMB_VULKAN=OFF): nobody gets one, and all is told why.
#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/run/run_times.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/residency.hpp"

namespace plumb::gpu_vulkan {
namespace {

[[noreturn]] void refuse() { throw ir::Unsupported("built without Vulkan"); }

}  // namespace

std::vector<device::DeviceReport> list_devices() { refuse(); }

VulkanExecutor::VulkanExecutor(device::VulkanOptions options) : options_(std::move(options)) { refuse(); }
VulkanExecutor::~VulkanExecutor() = default;
bool VulkanExecutor::has_kernel(const ir::OpSchema&) const { refuse(); }
std::unique_ptr<ir::Executable> VulkanExecutor::compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) {
  refuse();
}
std::unique_ptr<ir::Executable> VulkanExecutor::compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&,
                                                        const GraphOptions&) {
  refuse();
}
std::unique_ptr<ir::Executable> VulkanExecutor::compile_held(const ir::Graph&, std::shared_ptr<ir::Params>,
                                                             const ir::CompileOptions&) {
  refuse();
}
std::unique_ptr<ir::Executable> VulkanExecutor::compile_held(const ir::Graph&, std::shared_ptr<ir::Params>,
                                                             const ir::CompileOptions&, const GraphOptions&) {
  refuse();
}
ir::Buffer VulkanExecutor::allocate(const ir::TensorType&) { refuse(); }
ir::Buffer VulkanExecutor::import(ir::MutableView, std::shared_ptr<void>, ir::Import) { refuse(); }
std::shared_ptr<ir::Params> VulkanExecutor::hold(const ir::Feeds&) { refuse(); }
passes::Fused VulkanExecutor::fused(const ir::Graph&, const ir::Capture&, const ir::Feeds&) const { refuse(); }
plan::Plan VulkanExecutor::plan(const ir::Graph&, const ir::Capture&) const { refuse(); }
plan::Plan VulkanExecutor::plan(const ir::Graph&, const ir::Capture&, std::int64_t) const { refuse(); }
const device::DeviceFacts& VulkanExecutor::facts() const { refuse(); }
plan::PlanOptions VulkanExecutor::plan_options() const { refuse(); }
std::vector<std::string> VulkanExecutor::validation_messages() const { refuse(); }

namespace run {

std::optional<RunTimes> run_times(const ir::Executable&) { return std::nullopt; }

}  // namespace run
namespace kernels::common {

std::span<const ShaderBlob> shader_blobs() { return {}; }

}  // namespace kernels::common
}  // namespace plumb::gpu_vulkan
