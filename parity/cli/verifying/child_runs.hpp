#pragma once

// Processes of which several run at a time.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ir/files/process.hpp"

namespace plumb::parity::cli {

/// Runs commands, each in a process of its own, so many at a time. The commands are made, and asked for, in order. One
/// that has ended may be run again.
class ChildRuns {
 public:
  struct Ended {
    std::size_t index = 0;
    std::optional<ir::files::ProcessEnd> end = {};  ///< nothing where it had no words and was not begun
  };
  struct Process {
    std::vector<std::string> words = {};
    ir::files::ProcessLimits limits = {};
  };
  /// A command, which the place of `worker` runs.
  using Command = std::function<Process(std::size_t index, std::size_t worker)>;

  ChildRuns(std::size_t count, std::size_t workers, Command command);
  /// Waits for the commands that are running.
  ~ChildRuns();
  ChildRuns(const ChildRuns&) = delete;
  ChildRuns& operator=(const ChildRuns&) = delete;

  /// The next command that has ended; nothing where all that were begun have. Throws what making or starting one threw.
  std::optional<Ended> next();

  /// Has the command that next() gave last made and run once more, before those that are not begun, but not before
  /// this time is over. Nothing comes of it after stop().
  void again(std::chrono::milliseconds delay = {});

  /// Begins no more of them.
  void stop();
  bool is_stopped();

 private:
  struct Due {
    std::size_t index = 0;
    std::chrono::steady_clock::time_point time = {};
  };

  void work(std::size_t worker);
  std::optional<std::size_t> take(std::unique_lock<std::mutex>& lock);
  void run(std::unique_lock<std::mutex>& lock, std::size_t index, std::size_t worker);

  const std::size_t count_;
  const Command command_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0, working_ = 0;
  std::size_t open_ = 0;              ///< commands that were begun and may still be run again
  std::optional<std::size_t> given_;  ///< the one that next() gave last, which is one of them
  bool is_stopped_ = false;
  std::vector<Due> again_;
  std::deque<Ended> done_;
  std::exception_ptr problem_;
  std::vector<std::jthread> workers_;
};

}  // namespace plumb::parity::cli
