#pragma once

#include <cstdint>
#include <functional>

namespace plumb::ref_cpu {

/// Calls body(begin, end) for consecutive chunks of [0, count) of `grain`
/// indices (the last may be shorter), on as many threads as the caller's arena
/// has. Chunks depend on count and grain only, so results do not depend on the
/// number of threads as long as chunks are independent.
void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// Runs `work` with at most `threads` threads, nor more than the calling thread may have (ir::raw::ThreadLimit); 0
/// means one for every core.
void with_threads(int threads, const std::function<void()>& work);

}  // namespace plumb::ref_cpu
