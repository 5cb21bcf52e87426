// Records runs on buffers: copies in, dispatches with their barriers, copies out.
#include "gpu_vulkan/run/context_recording.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "gpu_vulkan/plan/consistency.hpp"
#include "gpu_vulkan/plan/layout.hpp"
#include "gpu_vulkan/run/executable.hpp"
#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

using runtime::Access;

struct Cells {
  std::vector<ir::Cell> cells;
  std::map<plan::Slot, std::size_t> by_slot;
};

Cells cells_of(const Program& program) {
  const plan::Plan& plan = program.plan;
  Cells found;
  const auto cell_of = [&](ir::Value v) -> ir::Cell& {
    const std::size_t bytes = program.graph.type(v).bytes();
    if (!plan.placed(plan.slot(v))) return found.cells.emplace_back(ir::Cell{.bytes = bytes});
    const auto [place, is_new] = found.by_slot.emplace(plan.slot(v), found.cells.size());
    return is_new ? found.cells.emplace_back(ir::Cell{.bytes = bytes}) : found.cells[place->second];
  };
  for (ir::Value v = 0; v < program.graph.inputs().size(); ++v) cell_of(v).input = v;
  for (const ir::Value v : plan.captured) {
    const auto known = program.known(v);
    if (v < program.graph.inputs().size()) {
      const auto is_its = [&](const ir::Cell& cell) { return cell.input == v; };
      std::ranges::find_if(found.cells, is_its)->results.push_back(v);
    } else if (known) {
      found.cells.push_back({.bytes = known->size(), .results = {v}, .is_known = true, .known_bytes = *known});
    } else {
      cell_of(v).results.push_back(v);
    }
  }
  std::set<plan::Slot> read;
  for (const plan::Dispatch& dispatch : plan.schedule.dispatches) {
    read.insert(dispatch.reads.begin(), dispatch.reads.end());
    for (const plan::Slot slot : dispatch.writes)
      if (const auto cell = found.by_slot.find(slot); cell != found.by_slot.end())
        found.cells[cell->second].is_written = true;
  }
  const auto most = static_cast<std::size_t>(program.options.direct_results);
  for (const auto& [slot, number] : found.by_slot) {
    ir::Cell& cell = found.cells[number];
    cell.is_for_reading = cell.is_written && !cell.input && cell.bytes <= most && !read.contains(slot);
  }
  return found;
}

}  // namespace

ContextMemory::ContextMemory(std::shared_ptr<const Program> of) : program(std::move(of)), plan(program->plan) {
  Cells found = cells_of(*program);
  cells = std::move(found.cells);
  cell_of_slot = std::move(found.by_slot);
  plan::LayoutOptions options{.no_reuse = program->options.no_reuse, .full_barriers = program->options.full_barriers};
  for (const auto& [slot, cell] : cell_of_slot) options.apart.push_back(slot);
  for (const auto& [slot, memory] : program->residents->held()) options.apart.push_back(slot);
  const device::DeviceFacts& facts = program->runtime->device.facts();
  plan::lay_out(plan, facts, options);
  plan::require_consistent(plan, program->graph, facts);
  std::vector<bool> is_apart(plan.arena.buffers.size());
  for (const auto& [slot, cell] : cell_of_slot) is_apart[plan.arena.places[slot].buffer] = true;
  for (std::size_t b = plan.arena.resident_buffers; b < plan.arena.buffers.size(); ++b)
    if (!is_apart[b])
      buffers.try_emplace(b, program->runtime->device, plan.arena.buffers[b], runtime::MemoryUse::device,
                          runtime::driver::Holder::contexts);
  if (!plan.placed(plan.faults)) return;
  faults.emplace(program->runtime->device, sizeof(plan::Fault), runtime::MemoryUse::readback,
                 runtime::driver::Holder::contexts);
  std::ranges::fill(faults->mapped(), std::byte{0});
}

runtime::BufferRange ContextMemory::range(plan::Slot slot, const ir::Memories& homes) const {
  const std::size_t bytes = plan.schedule.bound_bytes(slot);
  if (slot == plan.faults) return {faults->get(), 0, bytes};
  if (const auto cell = cell_of_slot.find(slot); cell != cell_of_slot.end())
    return {on_device(homes[cell->second]).get(), 0, bytes};
  const plan::Place& place = plan.arena.places.at(slot);
  if (place.buffer < plan.arena.resident_buffers)
    return {program->residents->buffer(place.buffer), place.offset, bytes};
  return {buffers.at(place.buffer).get(), place.offset, bytes};
}

plan::Fault ContextMemory::take_fault() {
  plan::Fault fault{};
  if (!faults) return fault;
  std::memcpy(&fault, faults->mapped().data(), sizeof fault);
  if (fault.raised != 0) std::ranges::fill(faults->mapped(), std::byte{0});
  return fault;
}

ContextRecording::ContextRecording(const ContextMemory& memory, const ir::Arrangement& arrangement)
    : memory_(memory),
      runtime_(*memory.program->runtime),
      plan_(memory.plan),
      arrangement_(arrangement),
      up_(runtime_.device, runtime::MemoryUse::upload, runtime::driver::Holder::contexts),
      pool_(runtime::make_command_pool(runtime_.device)),
      commands_(runtime_.device, pool_.get()) {
  for (const ir::Value v : arrangement_.uploads) {
    const std::size_t bytes = memory.program->graph.type(v).bytes();
    if (bytes > 0 && on_device(home_of(v)).host_view().empty()) up_places_.emplace(v, up_.reserve(bytes));
  }
  up_.allocate();
  find_uses();
  record();
}

const std::shared_ptr<ir::Memory>& ContextRecording::home_of(ir::Value input) const {
  const auto is_its = [&](const ir::Cell& cell) { return cell.input == input; };
  return arrangement_
      .homes[static_cast<std::size_t>(std::ranges::find_if(memory_.cells, is_its) - memory_.cells.begin())];
}

/// By what the graph's values are, not by what dispatches say of themselves.
void ContextRecording::find_uses() {
  for (std::size_t c = 0; c < memory_.cells.size(); ++c) {
    const ir::Cell& cell = memory_.cells[c];
    const bool is_uploaded = cell.input && std::ranges::count(arrangement_.uploads, *cell.input) > 0;
    const bool is_only_read = cell.is_known || (cell.input && !cell.is_written && !is_uploaded);
    (is_only_read ? read_ : written_).push_back(&on_device(arrangement_.homes[c]));
  }
  for (const auto* copies : {&arrangement_.before, &arrangement_.after, &arrangement_.last})
    for (const ir::MemoryCopy& one : *copies) {
      read_.push_back(&on_device(one.from));
      written_.push_back(&on_device(one.to));
    }
  for (const auto& [slot, memory] : memory_.program->residents->held()) read_.push_back(memory.get());
  reads_.assign(read_.begin(), read_.end());
  writes_.assign(written_.begin(), written_.end());
  writes_.push_back(&memory_);  // values between nodes lie in it
  for (auto* const all : {&reads_, &writes_}) {
    std::ranges::sort(*all);
    all->erase(std::unique(all->begin(), all->end()), all->end());
  }
}

void ContextRecording::copy(const std::vector<ir::MemoryCopy>& copies) {
  for (const ir::MemoryCopy& one : copies)
    commands_.copy({on_device(one.from).get(), 0, one.bytes}, {on_device(one.to).get(), 0, one.bytes});
}

void ContextRecording::record() {
  for (const auto& [value, place] : up_places_)
    commands_.copy(up_.range(place), {on_device(home_of(value)).get(), 0, up_.range(place).bytes});
  copy(arrangement_.before);
  if (!up_places_.empty() || !arrangement_.before.empty())
    commands_.barrier(Access::transfer, Access::transfer | Access::shader);
  for (std::size_t d = 0; d < plan_.schedule.dispatches.size(); ++d) record_dispatch(d);
  if (!arrangement_.after.empty()) commands_.barrier(Access::shader | Access::transfer, Access::transfer);
  copy(arrangement_.after);
  if (!arrangement_.last.empty()) commands_.barrier(Access::transfer, Access::transfer);
  copy(arrangement_.last);
  const bool copies =
      !up_places_.empty() || !arrangement_.before.empty() || !arrangement_.after.empty() || !arrangement_.last.empty();
  commands_.barrier(copies ? Access::shader | Access::transfer : Access::shader, Access::host);
  commands_.end();
}

void ContextRecording::record_dispatch(std::size_t d) {
  const plan::Dispatch& dispatch = plan_.schedule.dispatches[d];
  if (plan_.barrier_before[d]) commands_.barrier(Access::shader, Access::shader);
  std::vector<runtime::BufferRange> bindings;
  for (const auto* list : {&dispatch.reads, &dispatch.writes})
    for (const plan::Slot slot : *list) bindings.push_back(memory_.range(slot, arrangement_.homes));
  commands_.dispatch(runtime_.pipelines.get(dispatch), bindings, dispatch.push.bytes(), dispatch.groups);
}

void ContextRecording::upload(const ir::Feeds& rest) {
  for (const ir::Value v : arrangement_.uploads) {
    const auto bytes = ir::fed(memory_.program->graph, rest, v).bytes();
    if (bytes.empty()) continue;
    if (const auto place = up_places_.find(v); place != up_places_.end()) {
      ir::raw::copy_bytes(bytes, up_.bytes(place->second));
      continue;
    }
    DeviceMemory& home = on_device(home_of(v));
    home.wait_until_unused();
    ir::raw::copy_bytes(bytes, home.host_view());
  }
}

std::uint64_t ContextRecording::submit() {
  const std::uint64_t number = runtime_.submitter.submit(commands_, {reads_, writes_});
  for (DeviceMemory* memory : read_) memory->used_by(number, false);
  for (DeviceMemory* memory : written_) memory->used_by(number, true);
  return number;
}

bool Running::ready() noexcept {
  try {
    return memory_->program->runtime->timeline.reached(number_);
  } catch (const ir::DeviceError&) {  // which get() tells
    return true;
  }
}

bool Running::wait(double seconds) {
  return memory_->program->runtime->timeline.wait_for(number_, std::chrono::duration<double>(seconds));
}

void Running::become(std::uint64_t number) {
  const std::scoped_lock held(ending_);
  number_ = number;
  has_ended_ = false;
  fault_ = {};
}

void Running::end() {
  const std::scoped_lock held(ending_);
  end_locked();
}

void Running::end_locked() {
  if (has_ended_) return;
  const Program& program = *memory_->program;
  try {
    if (!wait(program.options.timeout))
      throw ir::DeviceError(ir::cat("a run did not end in ", program.options.timeout, " s"));
  } catch (const ir::DeviceError& error) {
    program.runtime->lose(error.what());
    throw;
  }
  fault_ = memory_->take_fault();
  has_ended_ = true;
}

void Running::get() {
  const std::scoped_lock held(ending_);
  end_locked();
  if (fault_.raised != 0) throw_fault(memory_->program->graph, fault_);
  memory_->program->runtime->instance.throw_new_messages();
}

}  // namespace plumb::gpu_vulkan::run
