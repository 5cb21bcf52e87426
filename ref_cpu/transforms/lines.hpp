// Transforms of all lines of a tensor, over the threads.
#pragma once

#include "ref_cpu/transforms/line_transform.hpp"

namespace plumb::ref_cpu::transforms {

/// Lines of a tensor, of elements of so many numbers: 2 of complex ones.
template <class T>
struct LinesOf {
  T* data;
  ir::Lines lines;
  std::int64_t numbers;
};

/// Every line of y is the transform of that line of x, times `scale`. T is float or double.
template <class T>
void transform_lines(Kind kind, std::int64_t length, double scale, LinesOf<const T> x, LinesOf<T> y);

}  // namespace plumb::ref_cpu::transforms
