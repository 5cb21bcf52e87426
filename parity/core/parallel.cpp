// Runs pieces on several threads; how work is cut does not depend on how many there are.
#include "parity/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace plumb::parity::core {

namespace {

thread_local std::size_t most_threads = 0;  // 0: one for every core

}  // namespace

ThreadLimit::ThreadLimit(int threads)
    : before_(std::exchange(most_threads, static_cast<std::size_t>(std::max(threads, 0)))) {}
ThreadLimit::~ThreadLimit() { most_threads = before_; }

std::size_t workers_for(std::size_t pieces) {
  constexpr std::size_t worth_a_thread = 4;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(pieces / worth_a_thread, 1, most_threads > 0 ? most_threads : cores);
}

void for_each_piece(std::size_t pieces, std::size_t workers,
                    const std::function<void(std::size_t piece, std::size_t worker)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&](std::size_t worker) {
    for (std::size_t piece = next++; piece < pieces; piece = next++) work(piece, worker);
  };
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(take, worker);
  take(0);
}

}  // namespace plumb::parity::core
