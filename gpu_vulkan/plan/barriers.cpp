// Finds the dispatches that need a barrier, by the bytes they read and write since the last one.
#include "gpu_vulkan/plan/barriers.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace plumb::gpu_vulkan::plan {
namespace {

struct Range {
  std::size_t buffer, begin, end;
};

/// Bytes of buffers, looked up in a time that hardly grows with how many ranges they were made of: between two barriers
/// there may be all dispatches of a graph.
class ByteSet {
 public:
  void add(Range range) {
    auto& ranges = buffers_[range.buffer];
    auto next = ranges.upper_bound(range.begin);
    if (next != ranges.begin() && std::prev(next)->second >= range.begin) --next;
    while (next != ranges.end() && next->first <= range.end) {
      range.begin = std::min(range.begin, next->first);
      range.end = std::max(range.end, next->second);
      next = ranges.erase(next);
    }
    ranges.emplace_hint(next, range.begin, range.end);
  }

  bool meet(const Range& range) const {
    const auto found = buffers_.find(range.buffer);
    if (found == buffers_.end()) return false;
    const auto behind = found->second.lower_bound(range.end);
    return behind != found->second.begin() && std::prev(behind)->second > range.begin;
  }

  void clear() { buffers_.clear(); }

 private:
  std::map<std::size_t, std::map<std::size_t, std::size_t>> buffers_;  // where ranges that do not touch begin and end
};

}  // namespace

std::vector<bool> barriers(const Schedule& schedule, const ArenaLayout& layout) {
  std::vector<bool> needed;
  ByteSet read, written;  // since the last barrier
  const auto range = [&](Slot s) {
    const Place& place = layout.places.at(s);
    return Range{place.buffer, place.offset, place.offset + schedule.bound_bytes(s)};
  };
  for (const Dispatch& dispatch : schedule.dispatches) {
    const bool hazard =
        std::ranges::any_of(dispatch.reads, [&](Slot s) { return written.meet(range(s)); }) ||
        std::ranges::any_of(dispatch.writes, [&](Slot s) { return written.meet(range(s)) || read.meet(range(s)); });
    if (hazard) {
      read.clear();
      written.clear();
    }
    for (const Slot s : dispatch.reads)
      if (schedule.slots[s].residence == Residence::transient) read.add(range(s));  // nothing writes the others
    for (const Slot s : dispatch.writes) written.add(range(s));
    needed.push_back(hazard);
  }
  return needed;
}

}  // namespace plumb::gpu_vulkan::plan
