// The floating-point environment of a program that has another one than most.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace plumb::tests {

#if defined(__x86_64__)
inline constexpr unsigned flushed = 0x8040;  // FTZ and DAZ
inline bool flushes() { return (_mm_getcsr() & flushed) == flushed; }
inline void flush() { _mm_setcsr(_mm_getcsr() | flushed); }
#else
inline bool flushes() { return std::fegetround() == FE_UPWARD; }
inline void flush() {}
#endif

/// While it lives, the calling thread rounds upward and flushes subnormal numbers, where the processor can.
class OddFloats {
 public:
  OddFloats() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
    flush();
  }
  ~OddFloats() { std::fesetenv(&before_); }
  OddFloats(const OddFloats&) = delete;
  OddFloats& operator=(const OddFloats&) = delete;

 private:
  std::fenv_t before_ = {};
};

/// Whether the calling thread computes so.
inline bool has_odd_floats() { return std::fegetround() == FE_UPWARD && flushes(); }

/// Whether it computes as a program does at its start.
inline bool has_usual_floats() { return std::fegetround() == FE_TONEAREST && !flushes(); }

}  // namespace plumb::tests
