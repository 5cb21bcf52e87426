#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plumb::parity::core {

/// SHA-256 of a text, as 64 hex digits.
std::string sha256(std::string_view text);

/// Its first 12 digits, by which results files call what they have once.
std::string text_id(std::string_view text);

/// SHA-256 of a file's bytes; "" of what is no regular file, or cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace plumb::parity::core
