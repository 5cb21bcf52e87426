#pragma once

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/run/host_part.hpp"
#include "gpu_vulkan/run/recording.hpp"

namespace plumb::gpu_vulkan::run {

/// A planned graph on a device, ready for many runs: `graph` is the one that was compiled,
/// `fused` what is planned. Keeps the device alive.
class VulkanExecutable final : public ir::Executable {
 public:
  VulkanExecutable(std::shared_ptr<runtime::Runtime> runtime, const device::VulkanOptions& options,
                   const ir::Graph& graph, const ir::Feeds& params, passes::Fused fused, plan::Plan plan);
  ~VulkanExecutable() override;

  ir::Tensors run(const ir::Feeds& inputs) override;
  void run_into(const ir::Feeds& inputs, ir::Tensors& results) override;
  std::vector<ir::NodeReport> nodes() const override;

  /// Where the time of the last run went.
  RunTimes times() const;

 private:
  void upload_resident(const ir::Feeds& params);
  void find_known();
  void make_host_parts(const ir::Feeds& params);
  void run_segment(std::size_t segment, const ir::Feeds& inputs, ir::Tensors& on_host);
  void throw_fault();
  void throw_damage() const;
  std::string describe(plan::Slot slot) const;
  void put(ir::Value value, std::span<const std::byte> bytes, ir::Tensors& on_host) const;
  bool is_captured(ir::Value value) const;

  std::shared_ptr<runtime::Runtime> runtime_;
  device::VulkanOptions options_;
  ir::Graph original_;
  passes::Fused fused_;
  const ir::Graph& graph_;  ///< the graph in fused_
  plan::Plan plan_;
  ir::Tensors captured_params_;
  std::vector<std::pair<ir::Value, std::span<const std::byte>>> known_;  ///< results that no segment brings
  std::unique_ptr<Recording> recording_;
  std::vector<bool> host_reads_;                       ///< by value: captured, or read by a node on the host
  std::vector<std::unique_ptr<HostPart>> host_parts_;  ///< by segment; null where the host has nothing to do
  RunTimes times_;                                     ///< the host's share of the last run
};

}  // namespace plumb::gpu_vulkan::run
