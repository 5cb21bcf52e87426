// Several threads make what comes next while the calling one takes what is made, in order and within bounds of memory.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "parity/core/parallel.hpp"

namespace plumb::parity::core {
namespace {

/// How far a thing is.
enum class Stage : unsigned char { begun, made, carried, finished };

class Ahead {
 public:
  explicit Ahead(const MadeAhead& things)
      : things_(things),
        allowed_(ir::raw::allowed_threads()),
        carrying_(std::clamp(things.carrying, 1, allowed_)),
        stages_(things.count, Stage::begun),
        problems_(things.count) {}

  void run() {
    const auto most = static_cast<std::size_t>(allowed_ - carrying_), helpers = std::min(things_.count - 1, most);
    std::vector<std::jthread> others;
    const Closing closing{*this};
    for (std::size_t n = 0; n < helpers; ++n) others.emplace_back([this] { help(); });
    // Where others do that, this thread, for which all wait in the end, begins nothing that takes long.
    const bool makes = helpers == 0 || helpers < most || carrying_ == 1;
    std::unique_lock lock(mutex_);
    while (taken_ < things_.count) {
      changed_.wait(lock, [&] { return may_take() || may_carry() || !left_.empty() || (makes && may_begin()); });
      if (may_take()) {
        if (!take_next(lock)) return;
      } else if (may_carry()) {
        carry_next(lock);
      } else {
        left_.empty() ? make_next(lock) : finish_next(lock);
      }
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
  using Lock = std::unique_lock<std::mutex>;

  void help() {
    Lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || !left_.empty() || may_begin(); });
      if (is_over_) return;
      left_.empty() ? make_next(lock) : finish_next(lock);
    }
  }

  bool may_begin() const {
    return next_ < things_.count && (next_ == taken_ || held_ + things_.size(next_) <= things_.most);
  }
  bool may_carry() const { return !is_stopped_ && carried_ < next_ && stages_[carried_] == Stage::made; }
  bool may_take() const { return stages_[taken_] == Stage::finished; }

  /// Works without the lock; a thing that comes to `stage` by that is waited for.
  template <class Work>
  void reach(Lock& lock, std::size_t i, Stage stage, const Work& work) {
    lock.unlock();
    work();
    lock.lock();
    stages_[i] = stage;
    changed_.notify_all();
  }

  void make_next(Lock& lock) {
    const std::size_t i = next_++;
    held_ += things_.size(i);
    reach(lock, i, Stage::made, [&] {
      try {
        const ThreadLimit limit(things_.threads(i));
        things_.make(i);
      } catch (...) {
        problems_[i] = std::current_exception();
      }
    });
  }

  void carry_next(Lock& lock) {
    const std::size_t i = carried_++;
    made_ = std::max(made_, i);
    while (made_ < things_.count && stages_[made_] != Stage::begun) ++made_;
    const int threads = made_ == things_.count ? allowed_ : carrying_;
    bool goes_on = false;
    reach(lock, i, Stage::carried, [&] {
      const ThreadLimit limit(threads);
      goes_on = !problems_[i] && things_.carry(i);
    });
    if (goes_on)
      left_.push_back(i);
    else {
      is_stopped_ = true;
      stages_[i] = Stage::finished;
    }
  }

  void finish_next(Lock& lock) {
    const std::size_t i = left_.front();
    left_.pop_front();
    reach(lock, i, Stage::finished, [&] {
      const ThreadLimit one(1);
      things_.finish(i);
    });
  }

  /// False where no more are taken.
  bool take_next(Lock& lock) {
    const std::size_t i = taken_;
    const bool is_last = is_stopped_ && i + 1 == carried_;
    lock.unlock();
    if (problems_[i]) std::rethrow_exception(problems_[i]);
    const bool goes_on = things_.take(i) && !is_last;
    lock.lock();
    held_ -= things_.size(i);
    taken_ = i + 1;
    changed_.notify_all();
    return goes_on;
  }

  const MadeAhead& things_;
  const int allowed_, carrying_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stage> stages_;                       ///< read and written under the lock, as all below but problems_
  std::vector<std::exception_ptr> problems_;        ///< each is written before its thing counts as made
  std::deque<std::size_t> left_;                    ///< things carried on and not begun to be finished
  std::size_t next_ = 0, carried_ = 0, taken_ = 0;  ///< the next things to be made, carried on and taken
  std::size_t made_ = 0;                            ///< all before it are made
  double held_ = 0;
  bool is_stopped_ = false, is_over_ = false;
};

}  // namespace

void make_ahead(const MadeAhead& things) {
  if (things.count > 0) Ahead(things).run();
}

}  // namespace plumb::parity::core
