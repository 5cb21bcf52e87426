// Records a plan's command buffers: transfers, barriers, dispatches, poison, red zones and timestamps.
#include "gpu_vulkan/run/recording.hpp"

#include <algorithm>
#include <cstring>

#include "gpu_vulkan/plan/last_reads.hpp"
#include "gpu_vulkan/run/stopwatch.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"
#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

constexpr std::uint32_t nan_word = 0xFFFFFFFF;     // NaN in every float type, -1 in every integer
constexpr std::uint32_t queries_per_dispatch = 2;  // start and end; the start is mostly the end before

}  // namespace

Recording::Recording(runtime::Runtime& runtime, const plan::Plan& plan, const ir::Graph& graph,
                     const device::VulkanOptions& options, const Residents& residents)
    : runtime_(runtime),
      plan_(plan),
      graph_(graph),
      options_(options),
      residents_(residents),
      writes_directly_(writes_directly(runtime, options)),
      reads_directly_(writes_directly_ && runtime.device.facts().host_cached_device_local),
      up_(runtime.device, runtime::MemoryUse::upload, runtime::driver::Holder::executables),
      down_(runtime.device, runtime::MemoryUse::readback, runtime::driver::Holder::executables),
      pool_(runtime::make_command_pool(runtime.device)) {
  for (std::size_t b = plan.arena.resident_buffers; b < plan.arena.buffers.size(); ++b)
    buffers_.emplace_back(runtime.device, plan.arena.buffers[b],
                          writes_directly_ ? runtime::MemoryUse::device_mapped : runtime::MemoryUse::device,
                          runtime::driver::Holder::executables);
  find_direct_results();
  reserve_staging();
  up_.allocate();
  down_.allocate();
  take_fault();  // the first one is what the memory held
  if (options.timestamps != device::Timestamps::off && runtime.device.facts().timestamps &&
      !plan.schedule.dispatches.empty())
    make_queries();
  if (options.poison || options.poison_bools) find_poisoned();
  if (options.lifetimes) ended_ = plan::last_reads(plan, graph);
  for (std::size_t s = 0; s < plan.segments.size(); ++s) record(s);
}

/// Faults and small results that nobody reads on the device: bytes that kernels write into the
/// host's memory need no copy, and no barrier for one.
void Recording::find_direct_results() {
  if (plan_.placed(plan_.faults)) direct_places_[plan_.faults] = down_.reserve(sizeof(plan::Fault));
  if (reads_directly_ || options_.redzone) return;
  const auto& slots = plan_.schedule.slots;
  std::vector<bool> read(slots.size()), written(slots.size());
  for (const plan::Dispatch& dispatch : plan_.schedule.dispatches) {
    for (const plan::Slot slot : dispatch.reads) read[slot] = true;
    for (const plan::Slot slot : dispatch.writes) written[slot] = true;
  }
  for (const plan::Segment& segment : plan_.segments) {
    for (const ir::Value v : segment.uploads) read[plan_.slot(v)] = true;
    for (const ir::Value v : segment.downloads) {
      const plan::Slot slot = plan_.slot(v);
      const bool small = slots[slot].bytes <= static_cast<std::size_t>(options_.direct_results);
      if (small && written[slot] && !read[slot] && !direct_places_.contains(slot))
        direct_places_[slot] = down_.reserve(slots[slot].bytes);
    }
  }
}

void Recording::reserve_staging() {
  for (const plan::Segment& segment : plan_.segments) {
    if (!writes_directly_)
      for (const ir::Value v : segment.uploads) up_places_[v] = up_.reserve(plan_.schedule.slots[plan_.slot(v)].bytes);
    if (!reads_directly_)
      for (const ir::Value v : segment.downloads)
        if (const plan::Slot slot = plan_.slot(v); !direct_places_.contains(slot))
          down_places_[v] = down_.reserve(plan_.schedule.slots[slot].bytes);
  }
  if (!options_.redzone) return;
  for (plan::Slot s = 0; s < plan_.schedule.slots.size(); ++s)
    if (plan_.placed(s) && !direct_places_.contains(s))
      for (const bool after : {false, true}) zones_.push_back({s, after, down_.reserve(plan::zone_bytes)});
}

void Recording::make_queries() {
  auto info = runtime::driver::structure<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = queries_per_dispatch * static_cast<std::uint32_t>(plan_.schedule.dispatches.size());
  queries_ = runtime::driver::create<runtime::driver::QueryPool>("vkCreateQueryPool", vkCreateQueryPool,
                                                                 runtime_.device.get(), info);
}

/// Slots that no upload fills are poisoned before the first dispatch that uses them; or of these the bools alone.
void Recording::find_poisoned() {
  std::vector<bool> filled(plan_.schedule.slots.size(), !options_.poison);
  for (ir::Value v = 0; v < graph_.value_count(); ++v)
    if (graph_.defined(v) && graph_.type(v).dtype == ir::DType::boolean && plan_.slot(v) != plan::Plan::no_slot)
      filled[plan_.slot(v)] = false;
  filled[plan_.faults] = true;
  for (const plan::Segment& segment : plan_.segments)
    for (const ir::Value v : segment.uploads) filled[plan_.slot(v)] = true;
  for (const plan::Dispatch& dispatch : plan_.schedule.dispatches) {
    auto& first_used = poisoned_.emplace_back();
    for (const auto* list : {&dispatch.writes, &dispatch.reads})
      for (const plan::Slot s : *list) {
        if (plan_.schedule.slots[s].residence == plan::Residence::transient && !filled[s]) first_used.push_back(s);
        filled[s] = true;
      }
  }
}

void Recording::record(std::size_t segment) {
  const plan::Segment& part = plan_.segments[segment];
  auto& batches = batches_.emplace_back();
  const auto open = [&](std::size_t dispatch) {
    batches.push_back({runtime::Commands(runtime_.device, pool_.get()), dispatch});
  };
  const auto close = [&] {
    if (!batches.empty()) batches.back().commands.end();
  };
  open(nothing);
  const bool has_begun = begin_segment(batches.back().commands, segment);
  if (options_.step && !has_begun) batches.clear();  // an error of this submit would name no dispatch
  for (std::size_t d = part.begin; d < part.end; ++d) {
    if (options_.step) {
      close();
      open(d);
    }
    record_dispatch(batches.back().commands, d);
  }
  if (options_.step) {
    close();
    open(nothing);
  }
  end_segment(batches.back().commands, segment, has_begun || !poisoned_.empty() || !ended_.empty());
  close();
}

/// Whether there is anything to do before the first dispatch.
bool Recording::begin_segment(runtime::Commands& commands, std::size_t segment) {
  const plan::Segment& part = plan_.segments[segment];
  bool transfers = false;
  if (segment == 0 && options_.redzone) {
    for (const runtime::DeviceBuffer& buffer : buffers_)
      commands.fill({buffer.get(), 0, VK_WHOLE_SIZE}, plan::zone_word);
    commands.barrier(runtime::Access::transfer, runtime::Access::transfer);
    transfers = true;
  }
  for (const auto v : part.uploads) {
    const auto place = up_places_.find(v);
    if (place == up_places_.end() || up_.range(place->second).bytes == 0) continue;
    commands.copy(up_.range(place->second), bound(plan_.slot(v)));
    transfers = true;
  }
  if (transfers) commands.barrier(runtime::Access::transfer, runtime::Access::transfer | runtime::Access::shader);
  return transfers;
}

void Recording::fill_with_nan(runtime::Commands& commands, const std::vector<plan::Slot>& slots) {
  if (slots.empty()) return;
  commands.barrier(runtime::Access::shader | runtime::Access::transfer, runtime::Access::transfer);
  for (const plan::Slot slot : slots) commands.fill(bound(slot), nan_word);
  commands.barrier(runtime::Access::transfer, runtime::Access::shader | runtime::Access::transfer);
}

void Recording::record_dispatch(runtime::Commands& commands, std::size_t d) {
  const plan::Dispatch& dispatch = plan_.schedule.dispatches[d];
  if (!poisoned_.empty()) fill_with_nan(commands, poisoned_[d]);
  if (plan_.barrier_before[d]) commands.barrier(runtime::Access::shader, runtime::Access::shader);
  std::vector<runtime::BufferRange> bindings;
  for (const auto* list : {&dispatch.reads, &dispatch.writes})
    for (const plan::Slot slot : *list) {
      bindings.push_back(bound(slot));
      // The zone behind it is bound too: many devices drop what is written beyond the binding.
      if (options_.redzone) bindings.back().bytes += plan::zone_bytes;
    }
  const auto query = static_cast<std::uint32_t>(d) * queries_per_dispatch;
  if (queries_.get() != VK_NULL_HANDLE && starts_a_batch(d)) commands.timestamp(queries_.get(), query);
  commands.dispatch(runtime_.pipelines.get(dispatch), bindings, dispatch.push.bytes(), dispatch.groups);
  if (queries_.get() != VK_NULL_HANDLE && (options_.timestamps == device::Timestamps::nodes || ends_a_batch(d)))
    commands.timestamp(queries_.get(), query + 1);
  if (options_.lifetimes) fill_with_nan(commands, ended_[d]);
}

/// Whether nothing is timed before the dispatch in its submit.
bool Recording::starts_a_batch(std::size_t dispatch) const {
  return options_.step ||
         std::ranges::any_of(plan_.segments, [&](const plan::Segment& segment) { return segment.begin == dispatch; });
}

/// Whether nothing is timed after it.
bool Recording::ends_a_batch(std::size_t dispatch) const {
  return options_.step ||
         std::ranges::any_of(plan_.segments, [&](const plan::Segment& segment) { return segment.end == dispatch + 1; });
}

/// The host waits for transfers only where there were some.
void Recording::end_segment(runtime::Commands& commands, std::size_t segment, bool has_transfers) {
  const auto& downloads = plan_.segments[segment].downloads;
  const bool is_last = segment + 1 == plan_.segments.size();
  const bool copies = (is_last && !zones_.empty()) ||
                      std::ranges::any_of(downloads, [&](ir::Value v) { return down_places_.contains(v); });
  commands.barrier(
      has_transfers || copies ? runtime::Access::shader | runtime::Access::transfer : runtime::Access::shader,
      copies ? runtime::Access::transfer | runtime::Access::host : runtime::Access::host);
  for (const auto v : downloads) {
    const auto place = down_places_.find(v);
    if (place == down_places_.end()) continue;
    const runtime::BufferRange to = down_.range(place->second);
    commands.copy(range(plan_.slot(v), to.bytes), to);
  }
  if (is_last)
    for (const Zone& zone : zones_) {
      runtime::BufferRange from = bound(zone.slot);
      from.offset = zone.after ? from.offset + from.bytes : from.offset - plan::zone_bytes;
      from.bytes = plan::zone_bytes;
      commands.copy(from, down_.range(zone.place));
    }
  if (copies) commands.barrier(runtime::Access::transfer, runtime::Access::host);
}

void Recording::run(std::size_t segment, RunTimes& times) {
  Stopwatch watch;
  const plan::Segment& part = plan_.segments[segment];
  if (queries_.get() != VK_NULL_HANDLE && part.begin < part.end)
    vkResetQueryPool(runtime_.device.get(), queries_.get(),
                     queries_per_dispatch * static_cast<std::uint32_t>(part.begin),
                     queries_per_dispatch * static_cast<std::uint32_t>(part.end - part.begin));
  const auto wait = [&] {
    times.submit += watch.lap();
    runtime_.timeline.wait(last_, std::chrono::duration<double>(options_.timeout));
    times.wait += watch.lap();
  };
  for (const Batch& batch : batches_.at(segment)) {
    try {
      last_ = runtime_.timeline.submit(batch.commands.get());
      if (options_.step || &batch == &batches_.at(segment).back()) wait();
    } catch (const ir::DeviceError& error) {
      const std::string which = batch.dispatch != nothing ? plan::name_of(plan_, graph_, batch.dispatch)
                                : !options_.step          ? first_not_ended(segment)
                                                          : "";
      if (which.empty()) throw;
      throw ir::DeviceError(ir::cat(error.what(), ": ", which, " was not seen to end"));
    }
  }
  has_run_ = segment + 1 == plan_.segments.size();
}

/// By its timestamp, where each dispatch has one and the device still tells; else "".
std::string Recording::first_not_ended(std::size_t segment) const {
  if (queries_.get() == VK_NULL_HANDLE || options_.timestamps != device::Timestamps::nodes) return "";
  const plan::Segment& part = plan_.segments[segment];
  try {
    const auto all = ticks();
    for (std::size_t d = part.begin; d < part.end; ++d)
      if (all[2 * d + 1].available == 0) return plan::name_of(plan_, graph_, d);
  } catch (const ir::DeviceError&) {  // the caller's error is the one that counts
  }
  return "";
}

std::span<std::byte> Recording::upload_bytes(ir::Value value) const {
  const auto place = up_places_.find(value);
  return place == up_places_.end() ? mapped(plan_.slot(value)) : up_.bytes(place->second);
}

std::span<const std::byte> Recording::download_bytes(ir::Value value) const {
  if (const auto direct = direct_places_.find(plan_.slot(value)); direct != direct_places_.end())
    return down_.bytes(direct->second);
  const auto place = down_places_.find(value);
  return place == down_places_.end() ? mapped(plan_.slot(value)) : down_.bytes(place->second);
}

plan::Fault Recording::take_fault() {
  plan::Fault fault{};
  if (const auto place = direct_places_.find(plan_.faults); place != direct_places_.end()) {
    const auto bytes = down_.bytes(place->second);
    std::memcpy(&fault, bytes.data(), sizeof fault);
    if (fault.raised != 0) std::ranges::fill(bytes, std::byte{0});
  }
  return fault;
}

std::optional<Recording::Damage> Recording::damage() const {
  for (const Zone& zone : zones_) {
    const auto bytes = down_.bytes(zone.place);
    for (std::size_t i = 0; i < plan::zone_bytes; ++i) {
      const std::size_t distance = i + 1, at = zone.after ? i : plan::zone_bytes - distance;
      const auto expected = static_cast<std::byte>(plan::zone_word >> 8 * (at % 4));
      if (bytes[at] != expected) return Damage{zone.slot, zone.after, distance};
    }
  }
  return std::nullopt;
}

std::vector<Recording::Tick> Recording::ticks() const {
  std::vector<Tick> ticks(plan_.schedule.dispatches.size() * queries_per_dispatch);
  const VkResult result = vkGetQueryPoolResults(
      runtime_.device.get(), queries_.get(), 0, static_cast<std::uint32_t>(ticks.size()), ticks.size() * sizeof(Tick),
      ticks.data(), sizeof(Tick), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  if (result != VK_NOT_READY) runtime::driver::check(result, "vkGetQueryPoolResults");  // not every one was written
  return ticks;
}

std::optional<std::uint64_t> Recording::elapsed(const Tick& start, const Tick& end) const {
  if (start.available == 0 || end.available == 0) return std::nullopt;
  const auto count = (end.value - start.value) & runtime_.device.timestamp_mask();
  return static_cast<std::uint64_t>(static_cast<double>(count) * runtime_.device.facts().timestamp_period);
}

std::vector<std::optional<std::uint64_t>> Recording::nanoseconds() const {
  std::vector<std::optional<std::uint64_t>> spent(plan_.schedule.dispatches.size());
  if (queries_.get() == VK_NULL_HANDLE || !has_run_ || options_.timestamps != device::Timestamps::nodes) return spent;
  const auto all = ticks();
  for (std::size_t d = 0; d < spent.size(); ++d)
    spent[d] = elapsed(starts_a_batch(d) ? all[2 * d] : all[2 * d - 1], all[2 * d + 1]);
  return spent;
}

std::optional<std::uint64_t> Recording::device_nanoseconds() const {
  if (queries_.get() == VK_NULL_HANDLE || !has_run_) return std::nullopt;
  const auto all = ticks();
  std::uint64_t sum = 0;
  for (const plan::Segment& segment : plan_.segments) {
    if (segment.begin == segment.end) continue;
    const auto spent = elapsed(all[2 * segment.begin], all[2 * segment.end - 1]);
    if (!spent) return std::nullopt;
    sum += *spent;
  }
  return sum;
}

runtime::BufferRange Recording::range(plan::Slot slot, std::size_t bytes) const {
  if (const auto direct = direct_places_.find(slot); direct != direct_places_.end()) {
    const runtime::BufferRange whole = down_.range(direct->second);
    return {whole.buffer, whole.offset, bytes};
  }
  const plan::Place& place = plan_.arena.places.at(slot);
  const std::size_t residents = plan_.arena.resident_buffers;
  const VkBuffer buffer =
      place.buffer < residents ? residents_.buffer(place.buffer) : buffers_.at(place.buffer - residents).get();
  return {buffer, place.offset, bytes};
}

runtime::BufferRange Recording::bound(plan::Slot slot) const { return range(slot, plan_.schedule.bound_bytes(slot)); }

std::span<std::byte> Recording::mapped(plan::Slot slot) const {
  const plan::Place& place = plan_.arena.places.at(slot);
  const std::size_t residents = plan_.arena.resident_buffers;
  const auto bytes =
      place.buffer < residents ? residents_.mapped(place.buffer) : buffers_.at(place.buffer - residents).mapped();
  return bytes.subspan(place.offset, plan_.schedule.slots[slot].bytes);
}

}  // namespace plumb::gpu_vulkan::run
