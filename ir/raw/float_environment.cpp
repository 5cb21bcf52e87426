// The floating-point environment of the calling thread: set to the usual one, and back. Most callers have that already,
// and setting it takes microseconds, so that it is looked at first.
#include "ir/raw/float_environment.hpp"

#include <utility>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace plumb::ir::raw {
namespace {

thread_local FloatEnvironment* outermost = nullptr;

/// Whether the thread computes as a C program does at its start. Exceptions that were raised do not count.
bool is_usual() {
#if defined(__x86_64__)
  constexpr unsigned raised = 0x3f, usual_sse = 0x1f80;  // all masked, to nearest, subnormal numbers are kept
  constexpr unsigned short usual_x87 = 0x37f;            // and 64 bits of precision, for long double
  unsigned short x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & ~raised) == usual_sse && x87 == usual_x87;
#else
  return false;  // it is set whatever it was
#endif
}

}  // namespace

void FloatEnvironment::keep() {
  was_usual_ = is_usual();
  if (was_usual_) return;
  std::fegetenv(&before_);
  std::fesetenv(FE_DFL_ENV);
}

FloatEnvironment::FloatEnvironment() : is_outermost_(outermost == nullptr) {
  if (is_outermost_) outermost = this;
  keep();
}

FloatEnvironment::~FloatEnvironment() {
  if (!was_usual_)
    std::fesetenv(&before_);
  else if (!is_usual())
    std::fesetenv(FE_DFL_ENV);
  if (is_outermost_) outermost = nullptr;
}

CallersFloatEnvironment::CallersFloatEnvironment() : entrance_(std::exchange(outermost, nullptr)) {
  if (entrance_ != nullptr && !entrance_->was_usual_) std::fesetenv(&entrance_->before_);
}

CallersFloatEnvironment::~CallersFloatEnvironment() {
  if (entrance_ != nullptr) entrance_->keep();
  outermost = entrance_;
}

}  // namespace plumb::ir::raw
