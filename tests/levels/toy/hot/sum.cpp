#include "toy.hpp"

namespace toy {
namespace {

double sum(int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  numbers.resize(numbers.size() + 64, 0.0);
  for (double& number : numbers) number = number * 2 + 1;
  double all = 0;
  call([&] {
    if (count % 2 != 0) throw Odd("odd");
    for (const double number : numbers) all += (number - 1) / 2;
  });
  return all;
}

}  // namespace

const Kernels& compiled_kernels() {
  static const Kernels kernels = {sum};
  return kernels;
}

}  // namespace toy
