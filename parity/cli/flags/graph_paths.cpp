// The graph files that paths of a command line name, folders with all below them.
#include "parity/cli/flags/graph_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "ir/error.hpp"
#include "ir/files/file_kind.hpp"
#include "parity/cli/flags/model_files.hpp"

namespace plumb::parity::cli::flags {
namespace {

namespace fs = std::filesystem;

/// Whether a name is that of a part of a model, "m-00002-of-00003.gguf", which is read by its first.
bool is_later_part(const fs::path& path) {
  constexpr std::string_view like = "-00000-of-00000";
  const std::string stem = path.stem().string();
  if (stem.size() < like.size() || !ir::files::has_extension(path, ".gguf")) return false;
  const std::string end = stem.substr(stem.size() - like.size());
  std::string digits = end;
  for (char& c : digits)
    if (c >= '0' && c <= '9') c = '0';
  return digits == like && !end.starts_with("-00001-");
}

bool is_graph_file(const fs::directory_entry& entry) {
  if (!ir::files::has_extension(entry.path(), ".json") && !is_onnx(entry.path()) &&
      !ir::files::has_extension(entry.path(), ".gguf"))
    return false;
  if (is_later_part(entry.path())) return false;
  std::error_code problem;
  const fs::file_type type = entry.status(problem).type();
  return type == fs::file_type::regular || (entry.is_symlink(problem) && type != fs::file_type::directory);
}

std::vector<std::string> graphs_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    if (is_graph_file(*at)) paths.push_back(at->path().string());
  ir::require(!problem, folder, ": cannot be read: ", problem.message());
  ir::require(!paths.empty(), "no graph files (*.json, *.onnx, *.gguf) in ", folder);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::vector<std::string> graph_paths(const std::vector<std::string>& given) {
  std::vector<std::string> paths;
  for (const std::string& path : given) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      paths.push_back(path);
      continue;
    }
    for (std::string& found : graphs_below(path)) paths.push_back(std::move(found));
  }
  return paths;
}

}  // namespace plumb::parity::cli::flags
