// Looks for what comes with this code from where its program, or its shared library, is.
#include "library/own_files.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <vector>

#include "ir/error.hpp"

namespace plumb::library {
namespace {

namespace fs = std::filesystem;

/// The file that this code was loaded from: the program, or the shared library that it is part of.
fs::path own_path() {
  static const char here = 0;
  std::error_code problem;
  Dl_info info{};
  link_map* map = nullptr;
  const bool is_known = dladdr1(&here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  const bool is_library = is_known && map != nullptr && map->l_name[0] != '\0';  // the program's own name is empty
  return is_library ? fs::canonical(map->l_name, problem) : fs::read_symlink("/proc/self/exe", problem);
}

/// The first of these places, relative to the folder of this code, at which there is a file.
std::string found_at(const std::vector<fs::path>& places, const std::string& what) {
  std::error_code problem;
  const fs::path folder = own_path().parent_path();
  std::string tried;
  for (const fs::path& place : places) {
    const fs::path path = (folder / place).lexically_normal();
    if (fs::is_regular_file(path, problem)) return path.string();
    tried += (tried.empty() ? "" : " nor at ") + path.string();
  }
  ir::fail("there is no ", what, " at ", tried);
}

}  // namespace

std::string own_program(const std::string& name) {
  return found_at({name, "../bin/" + name, "../libexec/plumbline/" + name}, name);
}

std::string own_plugin(const std::string& name) {
  const std::string file = "libplumb_candidate_" + name + ".so";
  return found_at({"../lib/" + file, "../lib/plumbline/candidates/" + file, file}, "plugin for " + name);
}

std::string own_attacks() {
  const std::string file = "attacks/attacks.toml";
  return found_at({"../../../fixtures/" + file, "../share/plumbline/" + file}, file);
}

std::string python_folder() {
  const std::string file = "plumbline/function.py";
  const fs::path found =
      found_at({"../../../python/" + file, "../libexec/plumbline/python/" + file, "../../" + file}, file);
  return found.parent_path().parent_path().string();
}

}  // namespace plumb::library
