#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

/// A library with kernels: they call functions of the library, use definitions in headers, and throw.
namespace toy {

class Odd : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Kernels {
  double (*sum)(int count);  ///< adds the numbers below count; throws Odd where that is odd
};

const Kernels& compiled_kernels();
const Kernels& chosen_kernels();

/// Calls it; compiled once, as it is no kernel.
void call(const std::function<void()>& work);
double first_of(int count);

}  // namespace toy
