// Packs slots into few buffers, largest first, so that those whose lifetimes do not overlap share memory.
#include "gpu_vulkan/plan/pack.hpp"

#include <algorithm>
#include <numeric>

namespace plumb::gpu_vulkan::plan {
namespace {

std::size_t aligned(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// One buffer while it is being filled. Taken ranges include the zones.
///
/// Results live to the end, all of them, and of thousands none fits below the ground: bytes from the first that are
/// taken to the end. So who lives that long, too, is not compared with what lies there.
class Shelf {
 public:
  /// `end` is the last position at which anything lives.
  Shelf(std::size_t end, std::size_t alignment) : end_(end), alignment_(alignment) {}

  /// The lowest offset at which `bytes` are free as long as `alive`.
  std::size_t fit(std::size_t bytes, const Lifetime& alive) const {
    const bool is_above = alive.last == end_;
    std::size_t offset = is_above ? ground_ : 0;
    for (std::size_t i = is_above ? grounded_ : 0; i < taken_.size(); ++i) {
      const Taken& taken = taken_[i];
      if (!taken.alive.overlaps(alive)) continue;
      if (taken.begin >= offset + bytes) break;
      offset = std::max(offset, aligned(taken.end, alignment_));
    }
    return offset;
  }

  void take(std::size_t offset, std::size_t bytes, const Lifetime& alive) {
    const Taken taken{offset, offset + bytes, alive};
    const auto after = [](const Taken& a, const Taken& b) { return a.begin < b.begin; };
    const auto place = std::upper_bound(taken_.begin(), taken_.end(), taken, after);
    grounded_ = std::min(grounded_, static_cast<std::size_t>(place - taken_.begin()));
    taken_.insert(place, taken);
    bytes_ = std::max(bytes_, taken.end);
    if (alive.last == end_ && offset <= ground_) ground_ = std::max(ground_, aligned(taken.end, alignment_));
    while (grounded_ < taken_.size() && taken_[grounded_].end <= ground_) ++grounded_;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  struct Taken {
    std::size_t begin, end;
    Lifetime alive;
  };
  const std::size_t end_, alignment_;
  std::vector<Taken> taken_;  // by begin
  std::size_t bytes_ = 0;
  std::size_t ground_ = 0, grounded_ = 0;  // the first so many taken ranges end below the ground
};

}  // namespace

void Lifetime::use(std::size_t position) {
  first = used ? std::min(first, position) : position;
  last = used ? std::max(last, position) : position;
  used = true;
}

std::vector<Lifetime> lifetimes(const Schedule& schedule) {
  std::vector<Lifetime> alive(schedule.slots.size());
  for (std::size_t d = 0; d < schedule.dispatches.size(); ++d)
    for (const auto* list : {&schedule.dispatches[d].reads, &schedule.dispatches[d].writes})
      for (const Slot slot : *list) alive.at(slot).use(d);
  return alive;
}

ArenaLayout pack(const Schedule& schedule, const std::vector<Lifetime>& alive, const PackLimits& limits) {
  ArenaLayout layout;
  layout.places.resize(schedule.slots.size());
  const std::size_t zone = aligned(limits.zone, limits.alignment);
  constexpr Lifetime always{true, 0, ~std::size_t{0}};

  for (const Residence residence : {Residence::resident, Residence::transient}) {
    std::vector<Slot> order, apart;
    for (Slot s = 0; s < schedule.slots.size(); ++s)
      if (alive[s].used && schedule.slots[s].residence == residence)
        (!limits.apart.empty() && limits.apart[s] ? apart : order).push_back(s);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](Slot s) { return schedule.bound_bytes(s); });

    const auto lifetime = [&](Slot s) -> const Lifetime& {
      return residence == Residence::resident || !limits.reuse ? always : alive[s];
    };
    std::size_t end = 0;
    for (const Slot s : order) end = std::max(end, lifetime(s).last);
    std::vector<Shelf> shelves;
    for (const Slot s : order) {
      const Lifetime& lives = lifetime(s);
      const std::size_t bytes = schedule.bound_bytes(s) + 2 * zone;
      ir::require(bytes <= limits.buffer_bytes, "slot ", s, " has ", bytes, " bytes, a buffer at most ",
                  limits.buffer_bytes);
      std::size_t b = 0, offset = 0;
      while (b < shelves.size() && (offset = shelves[b].fit(bytes, lives)) + bytes > limits.buffer_bytes) ++b;
      if (b == shelves.size()) {
        shelves.emplace_back(end, limits.alignment);
        offset = 0;
      }
      shelves[b].take(offset, bytes, lives);
      layout.places[s] = {layout.buffers.size() + b, offset + zone};
    }
    for (const Shelf& shelf : shelves) layout.buffers.push_back(shelf.bytes());
    for (const Slot s : apart) {
      layout.places[s] = {layout.buffers.size(), zone};
      layout.buffers.push_back(schedule.bound_bytes(s) + 2 * zone);
    }
    if (residence == Residence::resident) layout.resident_buffers = layout.buffers.size();
  }
  return layout;
}

}  // namespace plumb::gpu_vulkan::plan
