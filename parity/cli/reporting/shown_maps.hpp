#pragma once

#include <span>
#include <string>

#include "parity/results/judge.hpp"

namespace plumb::parity::cli {

/// The maps of an output.
struct ShownMaps {
  std::string text;         ///< one of each run that has the output, for a terminal
  compare::RatioMap worst;  ///< that with the largest ratio; of equals the first
};

/// The maps of the output of that name ("label" or "label:1"). Throws Error where no run has such an output, where it
/// was not judged, and where its map was not kept.
ShownMaps shown_maps(std::span<const results::JudgedRun> runs, const std::string& name);

}  // namespace plumb::parity::cli
