#pragma once

#include <filesystem>
#include <string_view>

#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

/// A profile from the text of its file. What is not understood is refused, never ignored, and so is
/// content whose sha256 is not the one stated: throws Error "FILE:LINE: where: what is wanted, what was found".
DeviceProfile parse_profile(std::string_view text, const std::string& file);

/// From a file of at most 1 MiB.
DeviceProfile read_profile(const std::filesystem::path& path);

}  // namespace plumb::parity::profile
