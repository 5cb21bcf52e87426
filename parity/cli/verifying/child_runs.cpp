// A thread for each process that runs at a time, which waits for it.
#include "parity/cli/verifying/child_runs.hpp"

#include <algorithm>
#include <utility>

namespace plumb::parity::cli {

ChildRuns::ChildRuns(std::size_t count, std::size_t workers, Command command)
    : count_(count), command_(std::move(command)), working_(std::min(workers, count)) {
  for (std::size_t worker = 0; worker < std::min(workers, count); ++worker)
    workers_.emplace_back([this, worker] { work(worker); });
}

ChildRuns::~ChildRuns() { stop(); }

/// Waits for a command to run; nothing where there will be none.
std::optional<std::size_t> ChildRuns::take(std::unique_lock<std::mutex>& lock) {
  while (!is_stopped_) {
    const auto first = std::ranges::min_element(again_, {}, &Due::time);
    if (first != again_.end() && first->time <= std::chrono::steady_clock::now()) {
      const std::size_t index = first->index;
      again_.erase(first);
      return index;
    }
    if (begun_ < count_) {
      ++open_;
      return begun_++;
    }
    if (open_ == 0) return std::nullopt;
    if (first == again_.end())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, std::chrono::steady_clock::time_point(first->time));
  }
  return std::nullopt;
}

void ChildRuns::run(std::unique_lock<std::mutex>& lock, std::size_t index, std::size_t worker) try {
  Ended one{.index = index};
  const Process process = command_(index, worker);
  lock.unlock();
  if (!process.words.empty()) one.end = ir::files::run_process(process.words, process.limits);
  lock.lock();
  done_.push_back(std::move(one));
} catch (...) {
  if (!lock.owns_lock()) lock.lock();
  problem_ = std::current_exception();
  is_stopped_ = true;
}

void ChildRuns::work(std::size_t worker) {
  std::unique_lock lock(mutex_);
  while (const auto index = take(lock)) {
    run(lock, *index, worker);
    changed_.notify_all();
  }
  --working_;
  changed_.notify_all();
}

std::optional<ChildRuns::Ended> ChildRuns::next() {
  std::unique_lock lock(mutex_);
  if (given_) {
    given_.reset();
    --open_;
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return problem_ || !done_.empty() || working_ == 0; });
  if (problem_) std::rethrow_exception(problem_);
  if (done_.empty()) return std::nullopt;
  Ended one = std::move(done_.front());
  done_.pop_front();
  given_ = one.index;
  return one;
}

void ChildRuns::again(std::chrono::milliseconds delay) {
  const std::scoped_lock lock(mutex_);
  again_.push_back({.index = given_.value(), .time = std::chrono::steady_clock::now() + delay});
  given_.reset();
  changed_.notify_all();
}

void ChildRuns::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

bool ChildRuns::is_stopped() {
  const std::scoped_lock lock(mutex_);
  return is_stopped_;
}

}  // namespace plumb::parity::cli
