// SHA-256 of a text or a file as 64 hexadecimal digits, by which graphs, policies and profiles are told apart.
#include "parity/core/sha256.hpp"

#include <sha2.h>
#include <sys/types.h>

namespace plumb::parity::core {

std::string sha256(std::string_view text) {
  char digits[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits);
  return digits;
}

std::string text_id(std::string_view text) { return sha256(text).substr(0, 12); }

std::string sha256_of_file(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return "";
  char digits[SHA256_DIGEST_STRING_LENGTH];
  return SHA256File(path.c_str(), digits) == nullptr ? "" : digits;
}

}  // namespace plumb::parity::core
