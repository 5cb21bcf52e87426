#pragma once

// Graph files that are given to `plumb fuzz` in place of cases that it draws.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parity/cli/fuzzing/fuzz_flags.hpp"

namespace plumb::parity::cli {

struct GraphText {
  std::string name, text;          ///< the file's name without .json
  studies::fuzz::Judging judging;  ///< that of the case that it says it is, else without anything special
};

struct GraphTexts {
  std::vector<GraphText> graphs;
  std::vector<std::string> refused;  ///< files that are no graphs, and why
  std::vector<std::string> notes;    ///< files of another version of the generator
};

/// Reads files, and all *.json of folders in the order of their names. Throws Error for what is not there.
GraphTexts read_graph_texts(const std::vector<std::string>& paths, const FuzzFlags& flags);

}  // namespace plumb::parity::cli
