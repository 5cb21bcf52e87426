#pragma once

#include <filesystem>
#include <string>

#include "parity/core/terminal/style.hpp"

namespace plumb::parity::results {

/// How much of a results file is shown.
struct Shown {
  std::size_t nodes_a_run = 5;     ///< those that did not pass first, then the largest ratios
  std::size_t elements = 3;        ///< the worst ones of a node that did not pass
  bool is_each_run_shown = false;  ///< else runs that differ in their seed alone are summed up
};

/// The contents of a results file: its runs, the worst nodes of each, and why a node did not pass. Tables are no wider
/// than the style says. Throws Error when it is none.
std::string results_report(const std::filesystem::path& path, const Shown& shown,
                           const core::terminal::Style& style = {});

/// All that a results file has of the node "label" or "label:1", of the run in which it came out worst, or, where
/// `each` says so, of each. Throws Error, with names that are near, where no run has such a node.
std::string node_report(const std::filesystem::path& path, const std::string& name, bool each,
                        const core::terminal::Style& style = {});

}  // namespace plumb::parity::results
