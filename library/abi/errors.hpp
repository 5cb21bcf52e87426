#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

/// Tells the caller how far something is, in the caller's floating-point environment. Throws Stopped where that ends
/// it. `options` has a place for a callback, which may be NULL, and its user.
template <class Options>
void tell_progress(const Options& options, std::string_view what, std::size_t done, std::size_t steps) {
  if (options.progress == nullptr) return;
  const ir::raw::CallersFloatEnvironment callers;
  if (options.progress(options.user, std::string(what).c_str(), done, steps) != 0) throw Stopped();
}

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
