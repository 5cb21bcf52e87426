#pragma once

#include "gpu_vulkan/run/executable.hpp"
#include "ir/resident_context.hpp"

namespace plumb::gpu_vulkan::run {

/// Runs of a program by its executable, on what the host reads from buffers and writes to them.
class HostedContext final : public ir::ResidentContext {
 public:
  /// `why`: the run is not the device's alone.
  HostedContext(std::shared_ptr<const Program> program, std::string why);

  bool blocks() const override { return true; }

 private:
  std::shared_ptr<ir::Memory> allocate(std::size_t bytes) override;
  std::string why_apart(ir::Value, ir::Value) const override { return why_; }
  void settle() override {}
  void rearranged() override {}
  ir::Fence begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) override;

  void run(const ir::Arrangement& arrangement, const ir::Feeds& rest);

  void read(ir::Memory& memory, std::span<std::byte> bytes);
  void write(ir::Memory& memory, std::span<const std::byte> bytes);
  void copy(const std::vector<ir::MemoryCopy>& copies);

  std::shared_ptr<const Program> program_;
  std::string why_;
  VulkanExecutable executable_;
  ir::Feeds inputs_;  ///< as the last run read them
  ir::Tensors results_;
  std::vector<ir::Stretch> stretch_ = std::vector<ir::Stretch>(1);            ///< all of what is read or written
  std::vector<ir::Memory::Piece> piece_ = std::vector<ir::Memory::Piece>(1);  ///< all of what is copied
  ir::EndedRuns ends_;
};

}  // namespace plumb::gpu_vulkan::run
