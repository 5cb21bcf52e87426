// Says which plumbline this is, and how it was called.
#include "parity/cli/show/describe.hpp"

#include <fstream>
#include <iterator>

#include "ir/error.hpp"
#include "parity/core/build_info.hpp"
#include "ref_cpu/libraries.hpp"

namespace plumb::parity::cli::show {

std::string version_text(bool verbose) {
  const core::BuildInfo& build = core::build_info();
  std::string text(build.version);
  if (!verbose) return text;
  text += ir::cat("\ncommit: ", build.git_commit, build.git_dirty ? ", changed" : "", "\ncompiler: ", build.compiler,
                  "\nglslang: ", build.glslang);
  for (const auto& [name, version] : ref_cpu::library_versions()) text += ir::cat("\n", name, ": ", version);
  return text;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = all.find('\0', begin);
    arguments.push_back(all.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return arguments;
}

}  // namespace plumb::parity::cli::show
