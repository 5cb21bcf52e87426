#pragma once

#include <filesystem>
#include <string_view>

#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// A policy from the text of its file. What is not understood is refused, never ignored:
/// throws Error "FILE:LINE: where: what is wanted, what was found".
Policy parse(std::string_view text, std::string file);

/// From a file of at most 1 MiB.
Policy read(const std::filesystem::path& path);

}  // namespace plumb::parity::policy
