#pragma once

#include <mutex>

#include "gpu_vulkan/run/program.hpp"
#include "gpu_vulkan/runtime/staging.hpp"
#include "ir/resident_context.hpp"

namespace plumb::gpu_vulkan::run {

/// A program's plan with inputs and results in buffers of their own, and the memory of one run that no arrangement of
/// these changes.
struct ContextMemory {
  explicit ContextMemory(std::shared_ptr<const Program> of);

  /// Where a slot lies; `homes` by cell.
  runtime::BufferRange range(plan::Slot slot, const ir::Memories& homes) const;
  /// The fault that shaders reported since the last call.
  plan::Fault take_fault();

  std::shared_ptr<const Program> program;
  plan::Plan plan;
  std::vector<ir::Cell> cells;
  std::map<plan::Slot, std::size_t> cell_of_slot;        ///< slots that lie apart
  std::map<std::size_t, runtime::DeviceBuffer> buffers;  ///< transient, by number in the arena
  std::optional<runtime::DeviceBuffer> faults;
};

/// The commands of one arrangement's runs, and where the host puts inputs for them.
class ContextRecording {
 public:
  ContextRecording(const ContextMemory& memory, const ir::Arrangement& arrangement);

  /// Copies inputs to where the next run reads them. No earlier run may be under way.
  void upload(const ir::Feeds& rest);
  /// Returns the submit's number.
  std::uint64_t submit();

 private:
  void record();
  void record_dispatch(std::size_t dispatch);
  void copy(const std::vector<ir::MemoryCopy>& copies);
  void find_uses();
  const std::shared_ptr<ir::Memory>& home_of(ir::Value input) const;

  const ContextMemory& memory_;
  runtime::Runtime& runtime_;
  const plan::Plan& plan_;
  ir::Arrangement arrangement_;
  runtime::StagingBuffers up_;
  std::map<ir::Value, std::size_t> up_places_;  ///< by input whose home the host does not see
  runtime::driver::CommandPool pool_;
  runtime::Commands commands_;
  std::vector<const void*> reads_, writes_;  ///< as Uses has them
  std::vector<DeviceMemory*> read_, written_;
};

/// A run under way. Any thread may wait for it.
class Running final : public ir::Fence::State {
 public:
  Running(std::shared_ptr<ContextMemory> memory, std::uint64_t number) : memory_(std::move(memory)), number_(number) {}

  /// From here on it is another run, whose submit has this number. Nobody may have a fence of the one that ended.
  void become(std::uint64_t number);

  bool ready() noexcept override;
  bool wait(double seconds) override;
  void get() override;

  /// Waits for the end, and keeps the run's error. To be called before the memory's next run is submitted. Throws
  /// DeviceError where the device does not answer in time.
  void end();

 private:
  void end_locked();

  std::shared_ptr<ContextMemory> memory_;
  std::atomic<std::uint64_t> number_;
  std::mutex ending_;
  bool has_ended_ = false;
  plan::Fault fault_{};
};

}  // namespace plumb::gpu_vulkan::run
