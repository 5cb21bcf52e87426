#pragma once

#include <algorithm>
#include <vector>

#include "ir/ops/slice.hpp"

// Code common to programs that time graphs on a device.
namespace plumb::gpu_vulkan::calibrate {

/// The first element of a tensor: as a result, so that all of it is computed and nothing large comes back to the host.
inline ir::ops::Slice first_element(const ir::Shape& shape) {
  ir::ops::Slice first;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    first.axes.push_back(axis);
    first.starts.push_back(0);
    first.sizes.push_back(1);
  }
  return first;
}

/// The upper one of two; of at least one number.
inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

}  // namespace plumb::gpu_vulkan::calibrate
