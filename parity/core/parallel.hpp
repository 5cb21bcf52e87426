#pragma once

#include <cstddef>
#include <functional>

namespace plumb::parity::core {

/// While it lives, work that the calling thread shares out is on at most so many threads; 0 means one for every core.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  const std::size_t before_;
};

/// How many threads work on so many pieces: as many as are allowed, each with several pieces.
std::size_t workers_for(std::size_t pieces);

/// Calls work(piece, worker) once for every piece below `pieces`, on `workers` threads of which the caller's is one.
/// Which worker has which piece is chance, so whatever must not depend on it is kept by piece. `work` must not throw.
void for_each_piece(std::size_t pieces, std::size_t workers,
                    const std::function<void(std::size_t piece, std::size_t worker)>& work);

}  // namespace plumb::parity::core
