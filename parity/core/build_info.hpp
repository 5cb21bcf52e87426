#pragma once

#include <string_view>

namespace plumb::parity::core {

/// Which plumbline this is and what it was built with; records carry it.
struct BuildInfo {
  std::string_view version;     ///< "0.1.0"
  std::string_view git_commit;  ///< 40 hex digits; empty outside a git checkout
  bool git_dirty;               ///< tracked files differed from the commit
  std::string_view compiler;    ///< "GNU 12.2.0"
  std::string_view flags;       ///< with the -march of the CPU executor's kernels
  std::string_view glslang;     ///< its version; empty when there are no shaders
};

const BuildInfo& build_info();

}  // namespace plumb::parity::core
