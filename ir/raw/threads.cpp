// How many threads the calling thread may share its work out to, of which each thread has a limit of its own, and loops
// on so many. How work is cut does not depend on how many there are.
#include "ir/raw/threads.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace plumb::ir::raw {
namespace {

thread_local int most_threads = 0;  // 0: one for every core

}  // namespace

ThreadLimit::ThreadLimit(int threads) : before_(std::exchange(most_threads, std::max(threads, 0))) {}
ThreadLimit::~ThreadLimit() { most_threads = before_; }

int thread_limit() { return most_threads; }

int allowed_threads() {
  return most_threads > 0 ? most_threads : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::size_t workers_for(std::size_t pieces) {
  constexpr std::size_t worth_a_thread = 4;
  return std::clamp<std::size_t>(pieces / worth_a_thread, 1, static_cast<std::size_t>(allowed_threads()));
}

void for_each_piece(std::size_t pieces, std::size_t workers,
                    const std::function<void(std::size_t piece, std::size_t worker)>& work) {
  std::atomic<std::size_t> next = 0;
  // Relaxed: workers learn nothing of each other's pieces by it, and ThreadSanitizer takes no piece for done before
  // another. What all have done is known when they are joined.
  const auto take_next = [&] { return next.fetch_add(1, std::memory_order_relaxed); };
  const auto take = [&](std::size_t worker) {
    for (std::size_t piece = take_next(); piece < pieces; piece = take_next()) work(piece, worker);
  };
  if (workers <= 1) return take(0);
  const auto take_alone = [&](std::size_t worker) {
    const ThreadLimit one(1);
    take(worker);
  };
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(take_alone, worker);
  take_alone(0);
}

}  // namespace plumb::ir::raw
