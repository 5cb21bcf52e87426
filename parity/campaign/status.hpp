#pragma once

// How far a campaign is.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parity/campaign/queue.hpp"

namespace plumb::parity::campaign {

struct KindCount {
  std::size_t tasks = 0, done = 0;
  std::size_t failed = 0;  ///< as often as they may, so that they are over without results
  std::size_t running = 0;
};

struct RunningTask {
  const Task* task = nullptr;
  std::string worker = {};
};

struct Status {
  std::map<Kind, KindCount> kinds = {};
  std::vector<RunningTask> running = {};    ///< that is: claimed; whether their workers live, time tells
  std::vector<const Task*> failed = {};     ///< over without results
  std::size_t failures = 0;                 ///< how often tasks failed that may be, or were, done after all
  std::vector<std::string> retired = {};    ///< devices, each with why
  std::optional<double> seconds_left = {};  ///< if all that are running go on, by what was done before

  std::size_t tasks() const;
  std::size_t over() const;
};

/// Looks at a campaign's folder, which it leaves as it is. `tasks` outlives what it says.
Status status_of(const std::filesystem::path& folder, const std::vector<Task>& tasks);

}  // namespace plumb::parity::campaign
