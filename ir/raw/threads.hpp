#pragma once

#include <cstddef>
#include <functional>

namespace plumb::ir::raw {

/// While it lives, work that the calling thread shares out is on at most so many threads, whoever does it: loops of the
/// harness and of the CPU executor alike. 0 means one for every core.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  const int before_;
};

/// The calling thread's limit of threads; 0: one for every core.
int thread_limit();

/// On how many threads the calling thread may share work out: its limit, else one for every core.
int allowed_threads();

/// How many threads work on so many pieces: as many as are allowed, each with several pieces.
std::size_t workers_for(std::size_t pieces);

/// Calls work(piece, worker) once for every piece below `pieces`, on `workers` threads of which the caller's is one.
/// Which worker has which piece is chance, so whatever must not depend on it is kept by piece. `work` must not throw.
/// With several workers, loops inside a piece stay on its thread.
void for_each_piece(std::size_t pieces, std::size_t workers,
                    const std::function<void(std::size_t piece, std::size_t worker)>& work);

}  // namespace plumb::ir::raw
