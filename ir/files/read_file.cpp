// Texts are read whole, from regular files alone and within a limit.
#include "ir/files/read_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "ir/error.hpp"

namespace plumb::ir::files {

void require_regular_file(const std::filesystem::path& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  const std::string why = problem ? problem.message() : std::strerror(ENOENT);
  require(std::filesystem::exists(status), "cannot be opened: ", why);
  require(!std::filesystem::is_directory(status), "is a folder");
  require(std::filesystem::is_regular_file(status), "is not a regular file");
}

std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
  require_regular_file(path);
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  require(!problem, "cannot be read: ", problem.message());
  require(size <= most_bytes, "has ", size, " bytes, at most ", most_bytes, " are read");
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "cannot be opened: ", std::strerror(errno));
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  require(!file.bad(), "cannot be read: ", std::strerror(errno));
  return text;
}

std::string read_named_text(const std::filesystem::path& path, std::uint64_t most_bytes) try {
  return read_text(path, most_bytes);
} catch (const Error& error) {
  fail(path.string(), ": ", error.what());
}

std::string with_name(const std::filesystem::path& path, std::string_view message) {
  std::string lines = path.string() + ": ";
  for (const char c : message) lines += c == '\n' ? "\n" + path.string() + ": " : std::string(1, c);
  return lines;
}

}  // namespace plumb::ir::files
