// Parallel loops by oneTBB, in chunks that depend on the work alone, and a limit on threads.
#include "ref_cpu/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "ir/raw/threads.hpp"

namespace plumb::ref_cpu {
namespace {

/// Whether the calling thread does all by itself, without asking oneTBB.
thread_local bool is_alone = false;

/// Work of one thread, beside others that have work of their own.
class Alone {
 public:
  Alone() : before_(std::exchange(is_alone, true)) {}
  ~Alone() { is_alone = before_; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  const bool before_;
};

}  // namespace

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  if (count <= 0) return;
  const std::int64_t chunks = (count + grain - 1) / grain;
  if (chunks == 1) return body(0, count);
  const auto chunk = [&](std::int64_t c) { body(c * grain, std::min(count, (c + 1) * grain)); };
  if (is_alone)
    for (std::int64_t c = 0; c < chunks; ++c) chunk(c);
  else
    tbb::parallel_for(std::int64_t{0}, chunks, chunk, tbb::simple_partitioner());
}

void with_threads(int threads, const std::function<void()>& work) {
  const int limit = ir::raw::thread_limit();
  if (limit > 0) threads = threads > 0 ? std::min(threads, limit) : limit;
  if (threads <= 0) return work();
  if (threads == 1) {
    const Alone alone;
    return work();
  }
  // oneTBB starts no more workers than there are cores unless it is told to. A smaller number holds for the whole
  // process, so that it is left to the arena.
  std::optional<tbb::global_control> workers;
  if (threads > static_cast<int>(std::thread::hardware_concurrency()))
    workers.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

}  // namespace plumb::ref_cpu
