#pragma once

// How the processor rounds, and what it does to subnormal numbers, while this library computes. A program that calls it
// may have changed either, as PyTorch's set_flush_denormal does, a game engine that rounds towards zero, and every
// library that was linked with -ffast-math. Truths, limits and results of our executors do not depend on that.

#include <cfenv>

namespace plumb::ir::raw {

/// While it lives, the calling thread rounds to nearest, keeps subnormal numbers and traps nothing. Then it has what it
/// had before, also where code within changed it, and where an exception passes. Threads that start within begin so.
class FloatEnvironment {
 public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  friend class CallersFloatEnvironment;

  void keep();

  const bool is_outermost_;
  bool was_usual_ = true;
  std::fenv_t before_ = {};  ///< where that was not the usual one
};

/// While it lives, the calling thread has the environment that it had when it called this library: for code of the
/// caller's, which is judged as it runs in its own program. What such code changes stays changed for the caller.
class CallersFloatEnvironment {
 public:
  CallersFloatEnvironment();
  ~CallersFloatEnvironment();
  CallersFloatEnvironment(const CallersFloatEnvironment&) = delete;
  CallersFloatEnvironment& operator=(const CallersFloatEnvironment&) = delete;

 private:
  FloatEnvironment* const entrance_;
};

}  // namespace plumb::ir::raw
