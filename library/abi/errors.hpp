#pragma once

#include <string>

#include "ir/raw/float_environment.hpp"
#include "library/plumbline.h"

/// An error as functions of the ABI hand it back.
struct plumb_error {
  int kind = 0;
  std::string message;
};

namespace plumb::library::abi {

/// A callback of the caller's ended what was going on. No error of ours: nothing on the way may take it for one.
struct Stopped {};

/// The exception in flight as an error. Out of memory is one that exists already.
plumb_error* caught() noexcept;

/// Calls `act` in a floating-point environment of its own. No exception of it gets out.
template <class Act>
plumb_error* guarded(Act act) noexcept {
  const ir::raw::FloatEnvironment own;
  try {
    act();
    return nullptr;
  } catch (...) {
    return caught();
  }
}

}  // namespace plumb::library::abi
