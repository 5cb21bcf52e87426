// Parallel loops by oneTBB, in chunks that depend on the work alone, and a limit on threads.
#include "ref_cpu/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace plumb::ref_cpu {

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  if (count <= 0) return;
  const std::int64_t chunks = (count + grain - 1) / grain;
  if (chunks == 1) return body(0, count);
  tbb::parallel_for(
      std::int64_t{0}, chunks, [&](std::int64_t c) { body(c * grain, std::min(count, (c + 1) * grain)); },
      tbb::simple_partitioner());
}

void with_threads(int threads, const std::function<void()>& work) {
  if (threads <= 0) return work();
  // oneTBB starts no more workers than there are cores unless it is told to.
  const tbb::global_control workers(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

}  // namespace plumb::ref_cpu
