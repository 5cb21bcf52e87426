#include "parity/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace plumb::parity {

std::size_t workers_for(std::size_t pieces) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(pieces / 2, 1, cores);
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

}  // namespace plumb::parity
