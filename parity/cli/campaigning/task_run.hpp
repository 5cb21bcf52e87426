#pragma once

// A task in a process of its own.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "parity/campaign/worker.hpp"

namespace plumb::parity::cli {

/// Where and how this worker runs tasks.
struct TaskPlace {
  std::string device = {};        ///< as --device takes it; "": the only one, or none is needed
  int threads = 0;                ///< as --threads has it; 0: not said
  bool counts_on_device = false;  ///< a worker has a device, which may be lost
};

/// Runs a task, whose files are as they were when it was planned, in the current folder. Throws Error where they are
/// not, and where the disk is full.
campaign::Attempt run_task(const campaign::Task& task, const campaign::Queue& queue, const TaskPlace& place,
                           const std::function<bool()>& is_to_end);

}  // namespace plumb::parity::cli
