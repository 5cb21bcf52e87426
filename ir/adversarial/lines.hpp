// A tensor seen as the lines that an op sums along.
#pragma once

#include <algorithm>

#include "ir/shape.hpp"

namespace plumb::ir::adversarial {

/// Where element k of line l of a tensor is, whose lines run along `axes`, the first of them slowest.
class Lines {
 public:
  Lines(const Shape& shape, const std::vector<std::size_t>& axes) {
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      const bool is_summed = std::ranges::find(axes, axis) != axes.end();
      Part& part = is_summed ? inside_ : outside_;
      part.push_back({shape[axis], stride});
      (is_summed ? length_ : count_) *= shape[axis];
    }
  }

  std::int64_t count() const { return count_; }
  std::int64_t length() const { return length_; }
  std::size_t at(std::int64_t line, std::int64_t k) const {
    return static_cast<std::size_t>(offset(outside_, line) + offset(inside_, k));
  }

 private:
  struct Axis {
    std::int64_t extent, stride;
  };
  using Part = std::vector<Axis>;  ///< the last axis first

  static std::int64_t offset(const Part& part, std::int64_t index) {
    std::int64_t found = 0;
    for (const Axis& axis : part) {
      found += index % axis.extent * axis.stride;
      index /= axis.extent;
    }
    return found;
  }

  Part inside_, outside_;
  std::int64_t count_ = 1, length_ = 1;
};

}  // namespace plumb::ir::adversarial
