#pragma once

#include <functional>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// Cases one by one: each is there until the next is asked for. They may be asked for more than once.
struct Cases {
  std::size_t count = 0;
  std::function<const cases::CaseResult&(std::size_t)> at = {};
};

}  // namespace plumb::parity::report
