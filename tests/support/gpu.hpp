#pragma once

#include <string>

#include "ir/executor.hpp"

namespace plumb::testing {

/// The Vulkan executor that all tests of a process share, or why there is none.
/// PLUMB_VALIDATION=1 turns the validation layers on: a message of theirs is an error.
struct Gpu {
  ir::Executor* executor = nullptr;
  std::string why_not;
};

const Gpu& gpu();

}  // namespace plumb::testing
