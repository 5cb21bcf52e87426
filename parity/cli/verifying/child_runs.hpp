#pragma once

// Processes of which several run at a time.

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

/// Runs commands, each in a process of its own, so many at a time. The commands are made, and asked for, in order.
class ChildRuns {
 public:
  struct Ended {
    std::size_t index = 0;
    ir::files::ProcessEnd end = {};
  };
  /// The words of a command, which the place of `worker` runs.
  using Command = std::function<std::vector<std::string>(std::size_t index, std::size_t worker)>;

  ChildRuns(std::size_t count, std::size_t workers, Command command, const ir::files::ProcessLimits& limits);
  /// Waits for the commands that are running.
  ~ChildRuns();
  ChildRuns(const ChildRuns&) = delete;
  ChildRuns& operator=(const ChildRuns&) = delete;

  /// The next command that has ended; nothing where all that were begun have. Throws what making or starting one threw.
  std::optional<Ended> next();

  /// Begins no more of them.
  void stop();

 private:
  void work(std::size_t worker);

  const std::size_t count_;
  const Command command_;
  const ir::files::ProcessLimits limits_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t begun_ = 0, working_ = 0;
  bool is_stopped_ = false;
  std::deque<Ended> done_;
  std::exception_ptr problem_;
  std::vector<std::jthread> workers_;
};

}  // namespace plumb::parity::cli
