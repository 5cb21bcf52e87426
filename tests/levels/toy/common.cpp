#include "toy.hpp"

namespace toy {

void call(const std::function<void()>& work) { work(); }

double first_of(int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  numbers.resize(numbers.size() + 64, 0.0);
  return numbers.front();
}

}  // namespace toy
