// A thread for each process that runs at a time, which waits for it.
#include "parity/cli/verifying/child_runs.hpp"

#include <algorithm>
#include <utility>

namespace plumb::parity::cli {

ChildRuns::ChildRuns(std::size_t count, std::size_t workers, Command command, const ir::files::ProcessLimits& limits)
    : count_(count), command_(std::move(command)), limits_(limits), working_(std::min(workers, count)) {
  for (std::size_t worker = 0; worker < std::min(workers, count); ++worker)
    workers_.emplace_back([this, worker] { work(worker); });
}

ChildRuns::~ChildRuns() { stop(); }

void ChildRuns::work(std::size_t worker) {
  std::unique_lock lock(mutex_);
  while (!is_stopped_ && begun_ < count_) {
    Ended one{.index = begun_++};
    try {
      const std::vector<std::string> words = command_(one.index, worker);
      lock.unlock();
      one.end = ir::files::run_process(words, limits_);
      lock.lock();
      done_.push_back(std::move(one));
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      problem_ = std::current_exception();
      is_stopped_ = true;
    }
    ended_.notify_all();
  }
  --working_;
  ended_.notify_all();
}

std::optional<ChildRuns::Ended> ChildRuns::next() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return problem_ || !done_.empty() || working_ == 0; });
  if (problem_) std::rethrow_exception(problem_);
  if (done_.empty()) return std::nullopt;
  Ended one = std::move(done_.front());
  done_.pop_front();
  return one;
}

void ChildRuns::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
}

}  // namespace plumb::parity::cli
