// Keeps files that other files name within their folder, through links as well.
#include "ir/files/path_below.hpp"

#include <algorithm>
#include <system_error>

#include "ir/error.hpp"

namespace plumb::ir::files {

bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !path.empty() && path.is_relative() && std::ranges::find(path, "..") == path.end() &&
         name.find('\0') == name.npos;
}

std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name) {
  constexpr std::size_t longest_quote = 80;
  const std::string quoted = name.substr(0, longest_quote);
  require(stays_below(name), "'", quoted, "' is no path below the folder of the file that names it");
  std::error_code problem;
  const auto home = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, problem);
  auto file = std::filesystem::weakly_canonical(home / name, problem);
  const auto [end, rest] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
  require(!problem && end == home.end(), "'", quoted, "' leads out of the folder of the file that names it");
  return file;
}

}  // namespace plumb::ir::files
