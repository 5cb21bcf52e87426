#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace plumb::ref_cpu {

/// Work that is submitted and its order: defined below.
class HostQueue;

/// How far a queue has come. It outlives the queue for those who wait.
struct Progress {
  std::mutex mutex;
  std::condition_variable came_further;
  std::atomic<std::uint64_t> done = 0;  ///< number of the last task that has ended
  std::weak_ptr<HostQueue> queue;
};

/// The end of one task of a queue; of no task, which has ended, unless it says which.
class Ticket {
 public:
  Ticket() = default;
  Ticket(std::shared_ptr<Progress> of, std::uint64_t number) : of_(std::move(of)), number_(number) {}

  bool is_over() const noexcept;
  void wait() const;
  /// Whether it is over after at most so long.
  bool wait_for(double seconds) const;
  bool is_of(const Progress& progress) const { return of_.get() == &progress; }
  /// The queue of the task; null where that is gone.
  std::shared_ptr<HostQueue> queue() const { return of_ == nullptr ? nullptr : of_->queue.lock(); }

 private:
  std::shared_ptr<Progress> of_;
  std::uint64_t number_ = 0;
};

/// The last tasks that use some memory, of all queues of the process. The memory is freed after this, which waits.
class Uses {
 public:
  Uses() = default;
  ~Uses() { last().wait(); }
  Uses(const Uses&) = delete;
  Uses& operator=(const Uses&) = delete;

  /// The last one that was added, behind which all others are over.
  Ticket last() const;
  /// As above, of those that write.
  Ticket last_write() const;

 private:
  friend class HostQueue;
  Ticket last_, last_write_;  ///< guarded by the lock of all queues
};

/// How a task uses memory.
struct Use {
  Uses* of;
  bool writes;
};

/// Work of a queue. It lives until it has run, and may then end its own life. It must not wait for other tasks.
class HostTask {
 public:
  HostTask() = default;
  virtual ~HostTask() = default;
  HostTask(const HostTask&) = delete;
  HostTask& operator=(const HostTask&) = delete;

  virtual void run() noexcept = 0;

 private:
  friend class HostQueue;
  std::vector<Ticket> after_;  ///< ends of tasks of other queues, which use memory that this one uses
  std::uint64_t number_ = 0;
  HostTask* next_ = nullptr;
};

/// Runs tasks one after another, on a thread that is begun with the first of them, and ends with the queue once all
/// have run. Any thread may add tasks. Nothing that a task holds keeps the queue, whose own thread must not end it.
class HostQueue {
 public:
  static std::shared_ptr<HostQueue> make();
  ~HostQueue();
  HostQueue(const HostQueue&) = delete;
  HostQueue& operator=(const HostQueue&) = delete;

  /// Adds a task behind all others here, and behind those of other queues that use the same memory.
  Ticket add(HostTask& task, std::span<const Use> uses);

 private:
  HostQueue() = default;
  void work();
  HostTask* next();

  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  std::uint64_t added_ = 0;  ///< guarded by the lock of all queues, as is the thread's begin
  std::thread thread_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable has_work_;
  HostTask *first_ = nullptr, *last_ = nullptr;
  bool is_ending_ = false;
};

}  // namespace plumb::ref_cpu
