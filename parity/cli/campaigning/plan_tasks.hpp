#pragma once

// The tasks of a plan.

#include <vector>

#include "parity/campaign/plan_file.hpp"

namespace plumb::parity::cli {

/// Reads the graphs of a plan, whose folder is to be the current one, and makes its tasks, each once. Throws Error,
/// naming the job, where a flag of it is none of its command, has a value that it may not have, or does not go with
/// others, and where a path is no file or a glob matches none.
std::vector<campaign::Task> tasks_of(const campaign::Plan& plan);

}  // namespace plumb::parity::cli
