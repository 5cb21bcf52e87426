// Several threads make what comes next while the calling one takes what is made, in order and within bounds of memory.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "parity/core/parallel.hpp"

namespace plumb::parity::core {
namespace {

class Ahead {
 public:
  explicit Ahead(const MadeAhead& things) : things_(things), made_(things.count), problems_(things.count) {}

  void run() {
    const auto helpers = std::min(things_.count, static_cast<std::size_t>(ir::raw::allowed_threads())) - 1;
    std::vector<std::jthread> others;
    const Closing closing{*this};
    for (std::size_t n = 0; n < helpers; ++n) others.emplace_back([this] { make_until(things_.count); });
    for (std::size_t i = 0; i < things_.count; ++i) {
      make_until(i);
      if (problems_[i]) std::rethrow_exception(problems_[i]);
      if (!things_.take(i)) return;
      take_off(i);
    }
  }

 private:
  /// Sends the helpers home; they are waited for behind it.
  struct Closing {
    Ahead& ahead;
    ~Closing() {
      const std::lock_guard lock(ahead.mutex_);
      ahead.is_over_ = true;
      ahead.changed_.notify_all();
    }
  };

  bool may_begin() const {
    return next_ < things_.count && (next_ == taken_ || held_ + things_.size(next_) <= things_.most);
  }

  /// Makes what is next until thing `wanted` is made, or all are begun.
  void make_until(std::size_t wanted) {
    std::unique_lock lock(mutex_);
    const auto is_done = [&] { return is_over_ || (wanted < things_.count ? made_[wanted] : next_ == things_.count); };
    while (true) {
      changed_.wait(lock, [&] { return is_done() || may_begin(); });
      if (is_done()) return;
      const std::size_t i = next_++;
      held_ += things_.size(i);
      lock.unlock();
      make(i);
      lock.lock();
      made_[i] = true;
      changed_.notify_all();
    }
  }

  void make(std::size_t i) {
    try {
      const ThreadLimit limit(things_.threads(i));
      things_.make(i);
    } catch (...) {
      problems_[i] = std::current_exception();
    }
  }

  void take_off(std::size_t i) {
    const std::lock_guard lock(mutex_);
    held_ -= things_.size(i);
    taken_ = i + 1;
    changed_.notify_all();
  }

  const MadeAhead& things_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> made_;                    ///< read and written under the lock, as all below but problems_
  std::vector<std::exception_ptr> problems_;  ///< each is written before its thing counts as made
  std::size_t next_ = 0, taken_ = 0;
  double held_ = 0;
  bool is_over_ = false;
};

}  // namespace

void make_ahead(const MadeAhead& things) {
  if (things.count > 0) Ahead(things).run();
}

}  // namespace plumb::parity::core
