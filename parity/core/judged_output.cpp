// The error class of a chain of nodes that is judged as one, and of an output that is held to its bits.
#include "parity/core/judged_output.hpp"

namespace plumb::parity::core {
namespace {

using ir::ErrorClass;

bool is_exact(ErrorClass error_class) { return error_class == ErrorClass::bits || error_class == ErrorClass::exact; }

}  // namespace

ErrorClass chained(std::span<const ErrorClass> classes) {
  if (classes.size() == 1) return classes.front();
  ErrorClass all = ErrorClass::bits;
  for (const ErrorClass one : classes) {
    if (!is_exact(one)) return ErrorClass::comp;
    if (one == ErrorClass::exact) all = one;
  }
  return all;
}

void hold_exactly(JudgedOutput& judged) {
  if (judged.error_class != ErrorClass::bits) judged.error_class = ErrorClass::exact;
}

}  // namespace plumb::parity::core
