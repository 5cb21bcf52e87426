// The Vulkan executor, the entry to this library; it names the plan and passes but does not include them.
#pragma once

#include <mutex>

#include "gpu_vulkan/device/calibration.hpp"
#include "gpu_vulkan/device/device_facts.hpp"
#include "gpu_vulkan/device/devices.hpp"
#include "gpu_vulkan/device/options.hpp"
#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::passes {
struct Fused;
}
namespace plumb::gpu_vulkan::plan {
struct Plan;
struct PlanOptions;
}  // namespace plumb::gpu_vulkan::plan
namespace plumb::gpu_vulkan::run {
class DeviceParams;
struct Program;
}  // namespace plumb::gpu_vulkan::run
namespace plumb::gpu_vulkan::runtime {
struct Runtime;
}

namespace plumb::gpu_vulkan {

/// Every device, as the drivers list them. Throws Unsupported when there is no driver.
std::vector<device::DeviceReport> list_devices();

/// The options that may differ between the graphs that one executor compiles; VulkanOptions explains the fields.
struct GraphOptions {
  std::string tile = {};
  device::Staging staging = device::Staging::automatic;
  device::Timestamps timestamps = device::Timestamps::nodes;
  std::int64_t alternative = 0;
};

/// Lowers a graph to compute dispatches and runs it on one Vulkan device. What it
/// compiled keeps the device, and may be used after it is gone. Any threads may use it and what it made: they take
/// turns at compiling, and at the `run` of one executable; each has contexts of its own.
class VulkanExecutor final : public ir::Executor {
 public:
  /// Throws Unsupported, saying why, when there is no driver or no device that will do.
  explicit VulkanExecutor(device::VulkanOptions options = device::options_from_environment());
  ~VulkanExecutor() override;

  std::string_view name() const override { return "gpu_vulkan"; }
  bool has_kernel(const ir::OpSchema& schema) const override;
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;
  ir::Buffer allocate(const ir::TensorType& type) override;
  std::shared_ptr<ir::Params> hold(const ir::Feeds& params) override;
  /// Address and size of the memory are multiples of what the device wants. No other import shares it.
  ir::Buffer import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) override;

  /// compile, by these in place of the executor's own options; also with params of `hold`.
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture,
                                          const GraphOptions& options);
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options, const GraphOptions& by);

  /// The graph after the passes; the graph itself when they are off. Params whose values are not
  /// given stay as they are. The result's type is in gpu_vulkan/passes/fuse.hpp.
  passes::Fused fused(const ir::Graph& graph, const ir::Capture& capture, const ir::Feeds& params) const;

  /// The plan that compile would make of a graph after the passes. Throws Unsupported as compile does. The result's
  /// type is in gpu_vulkan/plan/plan.hpp.
  plan::Plan plan(const ir::Graph& graph, const ir::Capture& capture) const;
  /// As above, by this in place of the executor's own VulkanOptions::alternative.
  plan::Plan plan(const ir::Graph& graph, const ir::Capture& capture, std::int64_t alternative) const;

  const device::DeviceFacts& facts() const;
  const device::VulkanOptions& options() const { return options_; }

  /// The settings of plans, in addition to the graph and the device: options, the calibration, doubts about the device.
  /// `alternative` is 0: the best kernels and tiles.
  plan::PlanOptions plan_options() const;

  /// Every message of the validation layer so far. Each is thrown once, too, by the next
  /// compile or run to end.
  std::vector<std::string> validation_messages() const;

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;
  std::unique_ptr<ir::Executable> executable(std::shared_ptr<const run::Program> program) const;
  /// `held`: where `params` are, or null. Passes see `folded` alone.
  std::shared_ptr<run::Program> program(const ir::Graph& graph, const ir::Feeds& params, const ir::Feeds& folded,
                                        const ir::Capture& capture, const GraphOptions& options,
                                        const run::DeviceParams* held);
  GraphOptions graph_options() const;

  /// Tests the tiles that the plan runs and that nothing is known of. Whether one failed, or has before.
  bool cooperative_matrices_fail(const plan::Plan& plan, const ir::Graph& graph);
  void doubt_cooperative_matrices(const std::string& why, const std::string& where = "");
  ir::Tensor run_alone(const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile) const;

  device::VulkanOptions options_;
  std::shared_ptr<runtime::Runtime> runtime_;
  device::Calibration calibration_;
  std::mutex compiling_;  ///< one graph at a time
  mutable std::mutex doubting_;
  std::string cooperative_doubt_;  ///< the fault of cooperative matrices
};

}  // namespace plumb::gpu_vulkan
