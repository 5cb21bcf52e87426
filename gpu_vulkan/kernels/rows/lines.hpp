#pragma once

#include <algorithm>
#include <bit>

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

/// The part of the work that a dispatch does on its lines (softmax.glsl, normalize.glsl): all of it,
/// the statistics of each slice, or the results once all slices have theirs.
enum class LineStage : std::uint32_t { whole, first, second };

/// How invocations share lines (glsl/lines.glsl), and into how many slices the
/// lines are cut for a first dispatch when there are too few of them to fill a device.
struct LineShare {
  std::uint32_t threads = 256, lanes = 1, slices = 1, slice_length = 0;
  /// Slices of whole packs of so many terms; the last may then be shorter, or empty.
  void cut_at_multiples(std::int64_t pack) {
    const auto n = static_cast<std::uint32_t>(pack);
    slice_length = (slice_length + n - 1) / n * n;
  }
  std::int64_t lines_in_group() const { return threads / lanes; }
  /// The workgroups of one dispatch over `count` lines.
  plan::Groups groups(std::int64_t count) const {
    return plan::groups_for((count + lines_in_group() - 1) / lines_in_group() * slices);
  }
};

/// The least power of two that is not below n, of n >= 1.
inline std::int64_t power_above(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// For `count` lines of `length` terms; at least `side` neighbouring lines stay in
/// a group, so that memory is read along them. `enough_groups` of 256 invocations fill a device.
inline LineShare share_lines(const device::DeviceFacts& facts, std::int64_t count, std::int64_t length,
                             std::int64_t side = 1, std::int64_t enough_groups = 1024) {
  constexpr std::int64_t terms_per_lane = 8, least_slice = 64;  // the last in terms per lane
  LineShare share;
  share.threads = std::bit_floor(std::min(256u, facts.max_invocations));
  const std::int64_t most = share.threads / power_above(std::clamp<std::int64_t>(side, 1, 32));
  const std::int64_t lanes = std::clamp<std::int64_t>(power_above(length / terms_per_lane + 1), 1, most);
  const std::int64_t in_group = share.threads / lanes, groups = (count + in_group - 1) / in_group;
  const std::int64_t slices =
      std::min(enough_groups / std::max<std::int64_t>(1, groups), length / (lanes * least_slice));
  share.lanes = static_cast<std::uint32_t>(lanes);
  share.slices = static_cast<std::uint32_t>(std::max<std::int64_t>(1, slices));
  share.slice_length = static_cast<std::uint32_t>((length + share.slices - 1) / share.slices);
  return share;
}

/// How the lanes of a line add up its terms and carry what rounding loses. The sums of slices are added likewise, by
/// as many lanes as `second` has.
std::vector<ir::SumLevel> compensated_levels(const LineShare& share, const LineShare& second);

}  // namespace plumb::gpu_vulkan::kernels::rows
