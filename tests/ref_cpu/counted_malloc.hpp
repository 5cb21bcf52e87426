#pragma once

#include <cstdint>

namespace plumb::tests {

/// How often all threads of this program asked for memory.
struct Asked {
  std::uint64_t operator_new = 0;  ///< whoever is not oneTBB, whose threads ask when they begin
  std::uint64_t malloc = 0;        ///< anybody, operator new as well
};

/// Counts from here on. The first few by operator new say on stderr where they come from.
void begin_counting();
Asked end_counting();

/// Whether they are counted: not with sanitizers, which have functions of their own, nor without glibc.
bool counts_memory();

}  // namespace plumb::tests
