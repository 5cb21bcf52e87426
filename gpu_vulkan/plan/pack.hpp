#pragma once

#include "gpu_vulkan/plan/schedule.hpp"

namespace plumb::gpu_vulkan::plan {

/// The positions in the schedule (indices of dispatches) between which a slot holds
/// something, both inclusive. A slot that is never used has no place in memory.
struct Lifetime {
  bool used = false;
  std::size_t first = 0, last = 0;

  void use(std::size_t position);
  bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
  bool operator==(const Lifetime&) const = default;
};

/// By slot: from the first dispatch that uses it to the last.
std::vector<Lifetime> lifetimes(const Schedule& schedule);

/// Where a slot lies.
struct Place {
  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t buffer = nowhere, offset = 0;

  bool exists() const { return buffer != nowhere; }
  bool operator==(const Place&) const = default;
};

struct ArenaLayout {
  std::vector<Place> places;         ///< by slot
  std::vector<std::size_t> buffers;  ///< bytes of each
  std::size_t resident_buffers = 0;  ///< the first so many hold what is uploaded once
};

struct PackLimits {
  std::size_t alignment = 16;    ///< every place is a multiple of it
  std::size_t buffer_bytes = 0;  ///< the largest buffer; larger slots are not for this device
  std::size_t zone = 0;          ///< bytes left free before and after each slot
  bool reuse = true;             ///< whether slots that are not alive together may share bytes
  std::vector<bool> apart = {};  ///< by slot: whether it gets a buffer of its own; none where it is empty
};

/// Gives every slot that is used a place in as few buffers as it can, largest slots
/// first, each at the lowest free offset. Two slots share bytes only when their
/// lifetimes do not meet; resident slots share none. Buffers of slots that lie apart are the last of their residence.
ArenaLayout pack(const Schedule& schedule, const std::vector<Lifetime>& alive, const PackLimits& limits);

}  // namespace plumb::gpu_vulkan::plan
