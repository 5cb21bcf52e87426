#pragma once

#include <cstdint>
#include <memory>

#include "ref_cpu/function_ref.hpp"

namespace plumb::ref_cpu {

using LoopBody = FunctionRef<void(std::int64_t begin, std::int64_t end)>;

/// Calls body(begin, end) for consecutive chunks of [0, count) of `grain`
/// indices (the last may be shorter), on as many threads as the caller's arena
/// has. Chunks depend on count and grain only, so results do not depend on the
/// number of threads as long as chunks are independent. What a chunk takes of
/// scratch is its thread's, and ends with it.
void parallel_for(std::int64_t count, std::int64_t grain, LoopBody body);

/// The threads of one run at a time, which later runs on as many find again.
class ThreadTeam {
 public:
  ThreadTeam();
  ~ThreadTeam();

  /// Runs `work` with at most `threads` threads, nor more than the calling thread may have (ir::raw::ThreadLimit); 0
  /// means one for every core.
  void run(int threads, FunctionRef<void()> work);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace plumb::ref_cpu
