#pragma once

#include <map>

#include "gpu_vulkan/device/options.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/run/device_params.hpp"
#include "gpu_vulkan/run/run_times.hpp"
#include "gpu_vulkan/runtime/runtime.hpp"
#include "gpu_vulkan/runtime/staging.hpp"

namespace plumb::gpu_vulkan::run {

/// The device's side of one compiled plan: its memory, and its segments as command
/// buffers that are submitted on every run. Runtime, plan, graph, options and what is resident must outlive it; the
/// graph is the planned one.
class Recording {
 public:
  Recording(runtime::Runtime& runtime, const plan::Plan& plan, const ir::Graph& graph,
            const device::VulkanOptions& options, const Residents& residents);

  /// Where the host writes an uploaded value before its segment runs.
  std::span<std::byte> upload_bytes(ir::Value value) const;
  /// Where the host finds a downloaded value after its segment ran.
  std::span<const std::byte> download_bytes(ir::Value value) const;

  /// Runs one segment and waits for it, whatever else the device does; adds what that took to `times`. Throws
  /// DeviceError, which names the dispatch that is the first not to have ended, where that is known: in step mode, or
  /// by its timestamp.
  void run(std::size_t segment, RunTimes& times);

  /// The number of its last submit; 0 before the first.
  std::uint64_t last() const { return last_; }

  /// Bytes of its buffers.
  std::uint64_t bytes() const { return runtime::bytes_of(buffers_) + up_.bytes() + down_.bytes(); }

  /// The fault that shaders reported since the last call, if any: then `raised` is not 0.
  plan::Fault take_fault();

  /// A guard byte that did not survive the run.
  struct Damage {
    plan::Slot slot;
    bool after;            ///< behind the slot, not before it
    std::size_t distance;  ///< from the slot to the byte; 1 is next to it
  };
  /// The first damage of the last run, if there is any and zones were asked for.
  std::optional<Damage> damage() const;

  /// GPU time of each dispatch in the last run, from the end of the one before to its
  /// own; nothing where it is not measured.
  std::vector<std::optional<std::uint64_t>> nanoseconds() const;
  /// GPU time of all segments of the last run.
  std::optional<std::uint64_t> device_nanoseconds() const;

 private:
  static constexpr std::size_t nothing = ~std::size_t{0};

  /// Commands of one submit.
  struct Batch {
    runtime::Commands commands;
    std::size_t dispatch;  ///< in step mode: the only one in it
  };
  struct Tick {
    std::uint64_t value, available;
  };
  struct Zone {
    plan::Slot slot;
    bool after;
    std::size_t place;  ///< in down_
  };

  void find_direct_results();
  void reserve_staging();
  void make_queries();
  void find_poisoned();
  void record(std::size_t segment);
  bool begin_segment(runtime::Commands& commands, std::size_t segment);
  void fill_with_nan(runtime::Commands& commands, const std::vector<plan::Slot>& slots);
  void record_dispatch(runtime::Commands& commands, std::size_t dispatch);
  bool starts_a_batch(std::size_t dispatch) const;
  bool ends_a_batch(std::size_t dispatch) const;
  std::vector<Tick> ticks() const;
  std::string first_not_ended(std::size_t segment) const;
  std::optional<std::uint64_t> elapsed(const Tick& start, const Tick& end) const;
  void end_segment(runtime::Commands& commands, std::size_t segment, bool has_transfers);

  runtime::BufferRange range(plan::Slot slot, std::size_t bytes) const;
  runtime::BufferRange bound(plan::Slot slot) const;
  std::span<std::byte> mapped(plan::Slot slot) const;

  runtime::Runtime& runtime_;
  const plan::Plan& plan_;
  const ir::Graph& graph_;
  const device::VulkanOptions& options_;
  const Residents& residents_;
  bool writes_directly_, reads_directly_;       ///< through the host's view of device memory
  std::vector<runtime::DeviceBuffer> buffers_;  ///< the arena's buffers behind those that are resident
  runtime::StagingBuffers up_, down_;
  std::map<ir::Value, std::size_t> up_places_, down_places_;
  std::map<plan::Slot, std::size_t> direct_places_;  ///< in down_: slots that are not in the arena after all
  std::vector<Zone> zones_;
  std::vector<std::vector<plan::Slot>> poisoned_;  ///< by dispatch: slots that it is the first to use
  std::vector<std::vector<plan::Slot>> ended_;     ///< by dispatch: slots that nobody reads behind it
  runtime::driver::QueryPool queries_;
  runtime::driver::CommandPool pool_;
  std::vector<std::vector<Batch>> batches_;  ///< by segment
  std::uint64_t last_ = 0;
  bool has_run_ = false;
};

}  // namespace plumb::gpu_vulkan::run
