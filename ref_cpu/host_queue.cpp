// A thread that runs what was submitted to a CPU executor, in order, and who waits for it.
#include "ref_cpu/host_queue.hpp"

#include <algorithm>
#include <chrono>

#include "ir/raw/float_environment.hpp"

namespace plumb::ref_cpu {
namespace {

/// Held while a task is added, to whichever queue: with it the order of tasks is the same for all memory that they
/// use, so that no two of them wait for each other.
std::mutex& order() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

bool Ticket::is_over() const noexcept { return of_ == nullptr || of_->done.load(std::memory_order_acquire) >= number_; }

void Ticket::wait() const {
  if (is_over()) return;
  std::unique_lock lock(of_->mutex);
  of_->came_further.wait(lock, [&] { return is_over(); });
}

bool Ticket::wait_for(double seconds) const {
  if (is_over()) return true;
  // A longer time would not fit into the clock's numbers.
  const std::chrono::duration<double> most(std::clamp(seconds, 0.0, 1e8));
  std::unique_lock lock(of_->mutex);
  return of_->came_further.wait_for(lock, most, [&] { return is_over(); });
}

Ticket Uses::last() const {
  const std::lock_guard lock(order());
  return last_;
}

Ticket Uses::last_write() const {
  const std::lock_guard lock(order());
  return last_write_;
}

std::shared_ptr<HostQueue> HostQueue::make() {
  std::shared_ptr<HostQueue> queue(new HostQueue);
  queue->progress_->queue = queue;
  return queue;
}

HostQueue::~HostQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Ticket HostQueue::add(HostTask& task, std::span<const Use> uses) {
  const std::lock_guard lock(order());
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  task.after_.clear();
  for (const Use& use : uses)
    if (const Ticket& one = use.of->last_; !one.is_of(*progress_) && !one.is_over()) task.after_.push_back(one);
  const Ticket ticket(progress_, ++added_);
  for (const Use& use : uses) {
    use.of->last_ = ticket;
    if (use.writes) use.of->last_write_ = ticket;
  }
  task.number_ = added_;
  task.next_ = nullptr;
  {
    const std::lock_guard own(mutex_);
    (first_ == nullptr ? first_ : last_->next_) = &task;
    last_ = &task;
  }
  has_work_.notify_one();
  return ticket;
}

/// Null once all is done and the queue ends.
HostTask* HostQueue::next() {
  std::unique_lock lock(mutex_);
  has_work_.wait(lock, [&] { return first_ != nullptr || is_ending_; });
  HostTask* const task = first_;
  if (task != nullptr) first_ = task->next_;
  return task;
}

void HostQueue::work() {
  const ir::raw::FloatEnvironment own;  // whatever that of the thread was that added the first task
  while (HostTask* const task = next()) {
    for (const Ticket& one : task->after_) one.wait();
    const std::uint64_t number = task->number_;
    task->run();
    const std::lock_guard lock(progress_->mutex);
    progress_->done.store(number, std::memory_order_release);
    progress_->came_further.notify_all();
  }
}

}  // namespace plumb::ref_cpu
