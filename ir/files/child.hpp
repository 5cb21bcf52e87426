#pragma once

// Work on strangers' files, done first in a process of its own, so that it cannot hang this one or take its memory.

#include <cstdint>
#include <functional>

namespace plumb::ir::files {

/// The limits of a child: seconds of processor time, and bytes of memory beyond those that the process has already.
struct ChildLimits {
  std::uint64_t seconds = 10;
  std::uint64_t bytes = std::uint64_t{1} << 30;
};

/// Does the work in a copy of this process that ends with it; nothing of what it changes in memory is left. What it
/// throws is thrown here as an Error of the same words; so is that it crashed, or wanted more than the limits give.
/// Where the system has no room for another process, nothing is done. Other threads of this process do not exist in the
/// copy, nor does this one under its number: no lock may be held here, of a Hdf5Use for one, that the work takes.
void try_in_child(const ChildLimits& limits, const std::function<void()>& work);

}  // namespace plumb::ir::files
