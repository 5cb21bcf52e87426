// Looks for what comes with the program from where the program itself is.
#include "parity/cli/flags/own_files.hpp"

#include <filesystem>
#include <vector>

#include "ir/error.hpp"

namespace plumb::parity::cli::flags {
namespace {

namespace fs = std::filesystem;

/// The first of these places, relative to the folder of this program, at which there is a file.
std::string found_at(const std::vector<fs::path>& places, const std::string& what) {
  std::error_code problem;
  const fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
  std::string tried;
  for (const fs::path& place : places) {
    const fs::path path = (folder / place).lexically_normal();
    if (fs::is_regular_file(path, problem)) return path.string();
    tried += (tried.empty() ? "" : " nor at ") + path.string();
  }
  ir::fail("there is no ", what, " at ", tried);
}

}  // namespace

std::string own_program(const std::string& name) { return found_at({name, "../libexec/plumbline/" + name}, name); }

std::string own_plugin(const std::string& name) {
  const std::string file = "libplumb_candidate_" + name + ".so";
  return found_at({"../lib/" + file, "../lib/plumbline/candidates/" + file}, "plugin for " + name);
}

std::string python_folder() {
  const std::string file = "plumbline/function.py";
  const fs::path found = found_at({"../../../python/" + file, "../libexec/plumbline/python/" + file}, file);
  return found.parent_path().parent_path().string();
}

}  // namespace plumb::parity::cli::flags
