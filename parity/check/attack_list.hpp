#pragma once

// Lists of candidates that cheat, with how each must end, and of honest ones beside them (library.md E).

#include <filesystem>
#include <string>
#include <vector>

namespace plumb::parity::check {

/// One command of ours with a candidate, and how it must end.
struct Attack {
  std::string name, family;
  std::vector<std::string> words;  ///< the command's, from "check" or "verify" on
  bool is_control = false;         ///< an honest candidate: it must pass
  int exit = 1;                    ///< the exit code of a cheat that is refused
  std::string reason = {};         ///< a regular expression that is found in what is said of it
};

/// Reads a list in TOML, of schema plumb-attacks/1: tables [[attack]] and [[control]] with `name`, `family`, `run` and,
/// of attacks, `reason` and `exit`. "{here}" in `run` is the list's folder. Throws Error, with file and line.
std::vector<Attack> read_attacks(const std::filesystem::path& path);

}  // namespace plumb::parity::check
