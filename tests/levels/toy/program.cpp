#include <cstdio>
#include <string>
#include <string_view>

#include "toy.hpp"

namespace toy {
std::string_view chosen_level();
}

int main() try {
  std::printf("%s %g\n", std::string(toy::chosen_level()).c_str(), toy::chosen_kernels().sum(100) + toy::first_of(3));
  try {
    toy::chosen_kernels().sum(7);
  } catch (const toy::Odd& error) {
    std::puts(error.what());
  }
} catch (const std::exception& error) {
  std::puts(error.what());
  return 2;
}
