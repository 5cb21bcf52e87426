#pragma once

#include <cstdint>

namespace plumb::tests {

/// How often all threads of this program have asked for memory so far.
struct Asked {
  std::uint64_t operator_new = 0;  ///< our own code, and templates that it uses
  std::uint64_t malloc = 0;        ///< anybody, operator new as well
};
Asked asked_for_memory();

/// The next so many by operator new say on stderr where they come from.
void show_next(int count);

/// Whether they are counted: not with sanitizers, which have functions of their own, nor without glibc.
bool counts_memory();

}  // namespace plumb::tests
