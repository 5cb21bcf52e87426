#pragma once

// The work of a worker of a campaign: it takes one task after the other, until there is none, or it is told to stop.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parity/campaign/queue.hpp"

namespace plumb::parity::campaign {

/// The end of one try of a task.
struct Attempt {
  enum class End {
    done,      ///< `made` has its results, whatever the verdicts are
    failed,    ///< its device, or its process, failed; `made` may have what there is of it
    released,  ///< it was to end, or somebody ended it: another worker may have it
  };

  End end = End::released;
  std::filesystem::path made = {};       ///< a file below making/; "" where there is none
  int exit = 0;                          ///< the exit code of its process
  std::string how = {}, output = {};     ///< why it failed
  std::vector<std::string> beside = {};  ///< endings of files that were made beside it: ".counts.json"
};

struct WorkerOptions {
  std::string device = {};  ///< its name in devices/; "": no task needs one
  std::function<bool(const Task&)> takes = [](const Task&) { return true; };
  std::function<bool()> is_stopped = [] { return false; };          ///< somebody asked for an end
  std::optional<std::chrono::steady_clock::time_point> until = {};  ///< then it stops by itself
  std::chrono::milliseconds poll = std::chrono::seconds(1);         ///< between two looks at tasks that others have
  /// Runs a task in a process of its own, and ends it as soon as the function is true.
  std::function<Attempt(const Task&, const std::function<bool()>& is_to_end)> run = {};
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

/// How a worker ended, and what it did.
struct Worked {
  enum class End { all_over, stopped, retired, not_for_us };

  End end = End::all_over;
  std::size_t done = 0, failed = 0, late = 0;  ///< `late`: others had done them first
};

/// Works until all tasks are over, those of others included, which come back where these are gone; or nothing is left
/// that this worker takes; or it is told to stop. Then it finishes the task at hand where that is expected to end
/// within 30 s, and else gives it back. Throws Error where the folder cannot be written to; no task is lost then
/// either.
Worked work(Queue& queue, const WorkerOptions& options);

/// The seconds that a task takes, by those that were done: the median rate of its kind. Nothing where none was.
class Rates {
 public:
  void add(Kind kind, double cost, double seconds);
  std::optional<double> seconds_of(const Task& task) const;

 private:
  std::map<Kind, std::vector<double>> rates_;  ///< in order
};

}  // namespace plumb::parity::campaign
