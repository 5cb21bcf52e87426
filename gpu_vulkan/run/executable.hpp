#pragma once

#include "gpu_vulkan/run/host_part.hpp"
#include "gpu_vulkan/run/program.hpp"
#include "gpu_vulkan/run/recording.hpp"
#include "gpu_vulkan/run/turns.hpp"

namespace plumb::gpu_vulkan::run {

/// A planned graph on a device, ready for many runs, with the memory of its `run`, at which threads take turns. Keeps
/// the device alive.
class VulkanExecutable final : public ir::Executable {
 public:
  explicit VulkanExecutable(std::shared_ptr<const Program> program);
  ~VulkanExecutable() override;

  ir::Tensors run(const ir::Feeds& inputs) override;
  void run_into(const ir::Feeds& inputs, ir::Tensors& results) override;
  std::vector<ir::NodeReport> nodes() const override;
  std::unique_ptr<ir::Context> context() override;
  bool has_contexts() const override { return program_.use_count() > 1; }
  std::uint64_t bytes() const override;
  std::uint64_t identity() const override { return program_->identity(); }

  /// Where the time of the last run went.
  RunTimes times() const;

 private:
  void find_known();
  void make_host_parts();
  void make_others(const std::vector<bool>& visible);
  void run_segment(std::size_t segment, const ir::Feeds& inputs, OnHost& on_host);
  void throw_fault();
  void throw_damage() const;
  std::string describe(plan::Slot slot) const;

  std::shared_ptr<const Program> program_;
  const plan::Plan& plan_;  ///< the program's
  const ir::Graph& graph_;  ///< the planned one
  runtime::Runtime& runtime_;
  std::vector<std::pair<ir::Value, std::span<const std::byte>>> known_;  ///< results that no segment brings
  std::unique_ptr<Recording> recording_;
  std::vector<bool> host_reads_;                       ///< by value: captured, or read by a node on the host
  std::vector<std::unique_ptr<HostPart>> host_parts_;  ///< by segment; null where the host has nothing to do
  ir::Tensors others_;                                 ///< values that the host has between nodes, and nobody wants
  RunTimes times_;                                     ///< the host's share of the last run
  mutable Turns turns_;                                ///< at all of this that runs change
};

/// Throws a fault that shaders reported, as an error that names the node.
[[noreturn]] void throw_fault(const ir::Graph& graph, const plan::Fault& fault);

}  // namespace plumb::gpu_vulkan::run
