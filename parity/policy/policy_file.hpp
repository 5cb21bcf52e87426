#pragma once

#include <filesystem>
#include <string_view>

#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// Whether a match may have the key acc, the dtype that an op computes in. Policies that results files of version 1
/// hold may, as these files know no accumulation; others are told what it is called now.
enum class AccKey { refused, known };

/// A policy from the text of its file. What is not understood is refused, never ignored:
/// throws Error "FILE:LINE: where: what is wanted, what was found".
Policy parse(std::string_view text, std::string file, AccKey acc = AccKey::refused);

/// From a file of at most 1 MiB.
Policy read(const std::filesystem::path& path);

}  // namespace plumb::parity::policy
