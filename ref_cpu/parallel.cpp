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
#include "ref_cpu/scratch.hpp"

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

/// A loop in chunks, which oneTBB runs. ThreadSanitizer cannot see into oneTBB, which is not compiled with it, and is
/// told what that promises, and no more: every chunk knows what came before the loop, and what comes behind the loop
/// knows every chunk, even where one throws. Nothing is said of one chunk and another.
class Loop {
 public:
  /// For so many threads.
  Loop(std::int64_t count, std::int64_t grain, LoopBody body, int threads)
      : count_(count), grain_(grain), body_(body), scratch_(current_scratch().run) {
    // An arena of oneTBB's has no fewer than two places.
    if (scratch_ != nullptr) scratch_->provide(static_cast<std::size_t>(std::max(threads, 2)));
    release(&begun_);
  }
  ~Loop() { acquire(&ended_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  bool is_within_a_chunk() const { return scratch_ != nullptr && current_scratch().stack != &scratch_->main(); }

  /// Does chunk c on one of the threads.
  void run(std::int64_t c, std::size_t thread) const {
    const Chunk one(*this);
    if (scratch_ == nullptr) return run(c);
    const OfThread scratch(*scratch_, thread);
    run(c);
  }

 private:
  struct Chunk {
    explicit Chunk(const Loop& loop) : loop(loop) { acquire(&loop.begun_); }
    ~Chunk() { release(&loop.ended_); }
    Chunk(const Chunk&) = delete;
    Chunk& operator=(const Chunk&) = delete;
    const Loop& loop;
  };

  /// Another thread may come to a place in the same loop when the one before has left it.
  struct OfThread {
    OfThread(Scratch& run, std::size_t thread) : stack(run.of_thread(thread)), scope(entered(run, stack)) {}
    ~OfThread() {
      scope.reset();
      release(&stack);
    }
    OfThread(const OfThread&) = delete;
    OfThread& operator=(const OfThread&) = delete;
    static CurrentScratch entered(Scratch& run, ScratchStack& stack) {
      acquire(&stack);
      return {&run, &stack};
    }
    ScratchStack& stack;
    std::optional<ScratchScope> scope;
  };

  void run(std::int64_t c) const { body_(c * grain_, std::min(count_, (c + 1) * grain_)); }

  const std::int64_t count_, grain_;
  const LoopBody body_;
  Scratch* const scratch_;
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

struct ThreadTeam::Arena {
  explicit Arena(int threads) : threads(threads), arena(threads) {}
  const int threads;
  tbb::task_arena arena;
};

ThreadTeam::ThreadTeam() = default;
ThreadTeam::~ThreadTeam() = default;

void parallel_for(std::int64_t count, std::int64_t grain, LoopBody body) {
  if (count <= 0) return;
  const std::int64_t chunks = (count + grain - 1) / grain;
  if (chunks == 1) return body(0, count);
  const Loop loop(count, grain, body, is_alone ? 1 : tbb::this_task_arena::max_concurrency());
  if (is_alone) {
    for (std::int64_t c = 0; c < chunks; ++c) loop.run(c, 0);
    return;
  }
  const auto chunk = [&](std::int64_t c) {
    if (c == 0) let_others_begin();  // the calling thread has the first one
    loop.run(c, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
  };
  // Other threads compute as the calling one does now, not as it did when oneTBB first heard of it.
  tbb::task_group_context as_here(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
  const auto share = [&] { tbb::parallel_for(std::int64_t{0}, chunks, chunk, tbb::simple_partitioner(), as_here); };
  // A chunk that waits for its own loop begins no other chunk meanwhile, which would need scratch above that of this.
  loop.is_within_a_chunk() ? tbb::this_task_arena::isolate(share) : share();
}

void ThreadTeam::run(int threads, FunctionRef<void()> work) {
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
  if (arena_ == nullptr || arena_->threads != threads) arena_ = std::make_unique<Arena>(threads);
  arena_->arena.execute([&] { work(); });
}

}  // namespace plumb::ref_cpu
