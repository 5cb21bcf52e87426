// Finds the dispatches that need a barrier, by the bytes they read and write since the last one.
#include "gpu_vulkan/plan/barriers.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::plan {
namespace {

struct Range {
  std::size_t buffer, begin, end;
  bool overlaps(const Range& other) const { return buffer == other.buffer && begin < other.end && other.begin < end; }
};

bool hits(const std::vector<Range>& ranges, const Range& range) {
  return std::ranges::any_of(ranges, [&](const Range& other) { return other.overlaps(range); });
}

}  // namespace

std::vector<bool> barriers(const Schedule& schedule, const ArenaLayout& layout) {
  std::vector<bool> needed;
  std::vector<Range> read, written;  // since the last barrier
  const auto range = [&](Slot s) {
    const Place& place = layout.places.at(s);
    return Range{place.buffer, place.offset, place.offset + schedule.bound_bytes(s)};
  };
  for (const Dispatch& dispatch : schedule.dispatches) {
    const bool hazard =
        std::ranges::any_of(dispatch.reads, [&](Slot s) { return hits(written, range(s)); }) ||
        std::ranges::any_of(dispatch.writes, [&](Slot s) { return hits(written, range(s)) || hits(read, range(s)); });
    if (hazard) {
      read.clear();
      written.clear();
    }
    for (const Slot s : dispatch.reads)
      if (schedule.slots[s].residence == Residence::transient) read.push_back(range(s));  // nothing writes the others
    for (const Slot s : dispatch.writes) written.push_back(range(s));
    needed.push_back(hazard);
  }
  return needed;
}

}  // namespace plumb::gpu_vulkan::plan
