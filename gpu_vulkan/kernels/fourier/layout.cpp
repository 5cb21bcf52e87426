// Which invocations have which points of which lines, and how much shared memory they exchange them through.
#include "gpu_vulkan/kernels/fourier/layout.hpp"

#include <algorithm>
#include <limits>

#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/fourier/factors.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {
namespace {

using common::pieces;
using plan::word;

constexpr std::int64_t enough_neighbours = 8;  ///< lines: 64 bytes of c64
constexpr std::size_t most_passes = 5;         ///< passes.glsl

/// How many points a thread holds at most, if so many threads share a line.
std::int64_t points_of(const std::vector<std::uint32_t>& radices, std::int64_t size, std::int64_t threads) {
  std::int64_t points = 1;
  for (const std::int64_t r : radices) points = std::max(points, r * pieces(size / r, threads));
  return points;
}

/// The number of threads of which the fewest points of all passes are idle, and then, the fewest points are each's, of
/// those that hold no more than 20 points, as few registers as leave room for others; 32, where a radix has as many.
std::int64_t threads_of(const std::vector<std::uint32_t>& radices, std::int64_t size, std::int64_t most) {
  if (radices.empty()) return 1;
  const std::int64_t most_points = std::max<std::int64_t>(20, *std::max_element(radices.begin(), radices.end()));
  std::int64_t best = most, fewest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t t = std::clamp<std::int64_t>(size / most_points, 1, most); t <= std::min(size, most); ++t) {
    if (points_of(radices, size, t) > most_points) continue;
    std::int64_t places = 0;
    for (const std::int64_t r : radices) places += r * pieces(size / r, t) * t;
    if (places < fewest || (places == fewest && points_of(radices, size, t) < points_of(radices, size, best))) {
      best = t;
      fewest = places;
    }
  }
  return std::min(best, size);
}

/// Words of shared memory that `points` of them take with the places that stay free (passes.glsl).
constexpr std::int64_t padded(std::int64_t points) { return points + pieces(points, 32); }

/// Points of a line that change places at a time, of so many slices.
std::int64_t sliced(std::int64_t size, const std::vector<std::uint32_t>& radices, std::int64_t slices) {
  std::int64_t most = 1;
  for (const std::int64_t r : radices) most = std::max(most, size / r * pieces(r, slices));
  return most;
}

/// Words of shared memory that a workgroup has.
std::int64_t words_of(ir::DType part, const device::DeviceFacts& facts) {
  return facts.shared_memory / static_cast<std::int64_t>(ir::info(part).bytes);
}

std::int64_t most_threads(const device::DeviceFacts& facts) {
  return std::min<std::int64_t>({facts.max_invocations, facts.max_group_size[0], 1024});
}

/// Points that a workgroup's registers hold, 16 of a thread.
std::int64_t most_held(ir::DType part, const device::DeviceFacts& facts) {
  return std::min<std::int64_t>(16 * most_threads(facts), part == ir::DType::f64 ? 4096 : 16384);
}

}  // namespace

Layout layout_of(std::int64_t size, const std::vector<std::uint32_t>& radices, Wishes wishes, ir::DType part,
                 const device::DeviceFacts& facts) {
  const std::int64_t most = most_threads(facts), room = words_of(part, facts),
                     threads = threads_of(radices, size, most);
  if (radices.size() < 2) wishes.across_in = wishes.across_out;
  const bool turns = wishes.across_in != wishes.across_out;
  const std::int64_t wanted = std::max(pieces(128, threads), wishes.across_out ? enough_neighbours : 1);
  std::int64_t lines = std::clamp<std::int64_t>(std::min(wanted, most / threads), 1, 256), slices = 1;
  // Lines that are read one way and written another begin in different banks.
  const auto stride = [&] {
    return padded(sliced(size, radices, slices)) + (turns && lines > 1 ? std::max<std::int64_t>(32 / lines, 1) : 0);
  };
  const bool at_once = !wishes.convolves && 2 * lines * stride() <= room;
  // Few large workgroups share a multiprocessor: smaller ones hide more of each other's waits.
  const bool is_large = lines * size > 4096 || stride() > room;
  if (!wishes.convolves && !wishes.splits && !at_once && is_large) slices = 2;
  while (lines > 1 && lines * stride() > room) --lines;
  if (lines == 1) wishes.across_in = wishes.across_out = false;
  return {.threads = word(threads),
          .lines = word(lines),
          .points = word(points_of(radices, size, threads)),
          .line_stride = word(stride()),
          .slices = word(slices),
          .across_in = wishes.across_in,
          .across_out = wishes.across_out,
          .at_once = at_once};
}

Capacity capacity_of(ir::DType part, const device::DeviceFacts& facts) {
  const std::int64_t room = words_of(part, facts) * 32 / 33, held = most_held(part, facts);
  return {std::min({room, held, std::int64_t{8192}}), std::min(2 * room, held) / enough_neighbours};
}

bool fits_workgroup(std::int64_t size, ir::DType part, bool may_slice, const device::DeviceFacts& facts) {
  if (size > most_held(part, facts)) return false;
  const std::vector<std::uint32_t> radices = radices_of(size);
  return radices.size() <= most_passes && padded(sliced(size, radices, may_slice ? 2 : 1)) <= words_of(part, facts);
}

}  // namespace plumb::gpu_vulkan::kernels::fourier
