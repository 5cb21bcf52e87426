#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "ir/tensor.hpp"
#include "parity/profile.hpp"

namespace plumb::parity {

/// How many ulps of the output's dtype an output is away from what the emulator replays of the kernel that made it,
/// inf where only one of the two is finite. Nothing where the op is no matrix product, or the profile does not say
/// all about the kernel.
std::optional<double> emulator_ulp(const DeviceProfile& profile, std::string_view kernel, const ir::Op& op,
                                   std::span<const ir::TensorView> inputs, const ir::TensorView& got);

/// "3 products are within 0 ulps of what profile 6a0c... replays", of nodes by name.
std::string emulation_note(const DeviceProfile& profile, std::span<const std::optional<double>> ulps);

/// What a results file says of a profile, by the names of numerics.md 4.3: of f16 products by matrix units or, without,
/// of the first kernel it knows.
std::vector<std::pair<std::string, std::string>> profile_attributes(const DeviceProfile& profile);

}  // namespace plumb::parity
