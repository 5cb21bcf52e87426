#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parity/core/segment.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

/// How many ulps of the output's dtype output k of a segment is away from what the emulator replays of the kernel that
/// made it, inf where only one of the two is finite. `sums` is how that kernel adds, `fed` is by input of the segment.
/// What a kernel does to the sum of its product, the reference does to the emulator's, and rounds once. Nothing where
/// there is not one matrix product of what was fed, where the kernel does not say in which order it adds, or where the
/// profile does not say all about its unit.
std::optional<double> emulator_ulp(ir::Executor& reference, const DeviceProfile& profile, std::span<const ir::Sum> sums,
                                   const core::Segment& segment, std::span<const ir::TensorView> fed, std::size_t k,
                                   const ir::TensorView& got);

/// "3 products are within 0 ulps of what profile 6a0c... replays", of nodes by name.
std::string emulation_note(const DeviceProfile& profile, std::span<const std::optional<double>> ulps);

/// What a results file says of a profile, by the names of numerics.md 4.3: of f16 products by matrix units or, without,
/// of the first unit it knows.
std::vector<std::pair<std::string, std::string>> profile_attributes(const DeviceProfile& profile);

}  // namespace plumb::parity::profile
