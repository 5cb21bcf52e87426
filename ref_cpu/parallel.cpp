// Parallel loops by oneTBB, in chunks that depend on the work alone, and a limit on threads.
#include "ref_cpu/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "ir/raw/threads.hpp"

#ifdef PLUMB_TELLS_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace plumb::ref_cpu {
namespace {

#ifdef PLUMB_TELLS_THREAD_SANITIZER
void release(const void* place) { __tsan_release(const_cast<void*>(place)); }
void acquire(const void* place) { __tsan_acquire(const_cast<void*>(place)); }
/// Lets other threads join a short loop: on one thread alone it shows no race.
void let_others_begin() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
#else
void release(const void*) {}
void acquire(const void*) {}
void let_others_begin() {}
#endif

using Body = std::function<void(std::int64_t begin, std::int64_t end)>;

/// A loop in chunks, which oneTBB runs. ThreadSanitizer cannot see into oneTBB, which is not compiled with it, and is
/// told what that promises, and no more: every chunk knows what came before the loop, and what comes behind the loop
/// knows every chunk, even where one throws. Nothing is said of one chunk and another.
class Loop {
 public:
  Loop(std::int64_t count, std::int64_t grain, const Body& body) : count_(count), grain_(grain), body_(body) {
    release(&begun_);
  }
  ~Loop() { acquire(&ended_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void operator()(std::int64_t c) const {
    const Chunk one(*this);
    body_(c * grain_, std::min(count_, (c + 1) * grain_));
  }

 private:
  struct Chunk {
    explicit Chunk(const Loop& loop) : loop(loop) { acquire(&loop.begun_); }
    ~Chunk() { release(&loop.ended_); }
    Chunk(const Chunk&) = delete;
    Chunk& operator=(const Chunk&) = delete;
    const Loop& loop;
  };

  const std::int64_t count_, grain_;
  const Body& body_;
  const char begun_ = 0, ended_ = 0;  ///< their addresses are the two events
};

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
  const Loop loop(count, grain, body);
  if (is_alone) {
    for (std::int64_t c = 0; c < chunks; ++c) loop(c);
    return;
  }
  const auto chunk = [&](std::int64_t c) {
    if (c == 0) let_others_begin();  // the calling thread has the first one
    loop(c);
  };
  // Other threads compute as the calling one does now, not as it did when oneTBB first heard of it.
  tbb::task_group_context as_here(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
  tbb::parallel_for(std::int64_t{0}, chunks, chunk, tbb::simple_partitioner(), as_here);
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
