// Estimates of the numbers that a value has, made before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/fill.hpp"
#include "ir/tensor.hpp"

namespace plumb::parity::studies::lint {

/// A number of any dtype; the imaginary part of what is not complex is 0.
struct Drawn {
  double re = 0, im = 0;
};

/// The numbers that a value is expected to have. Bounds are of finite numbers, and of both parts of complex ones.
struct ValueEstimate {
  bool is_known = false;  ///< whether anything is; all else is then a guess that nothing is concluded from
  std::vector<Drawn> pool =
      {};                    ///< numbers as they typically are; an element is as likely to be like one as like another
  double low = 0, high = 0;  ///< extremes over all operands within their own: reached, or very nearly
  double likely_low = 0, likely_high = 0;  ///< extremes to be expected of so many elements
  double mean = 0, rms = 0;
  std::optional<int> grain = {};           ///< all numbers are whole multiples of 2^grain
  std::optional<ir::Tensor> numbers = {};  ///< the numbers themselves, where the file has them

  /// The larger end of the likely numbers, without its sign.
  double likely_size() const;
  /// Whether the numbers differ from one another.
  bool varies() const { return low < high; }
};

/// The likely largest of `count` standard normal numbers.
double normal_extreme(double count);

/// x in `dtype`, to nearest even; what is beyond its range becomes its largest number. Infinities stay.
double stored(double x, ir::DType dtype);

/// Numbers that a fill makes for a source called `name`; not of fills that depend on a graph or a packed format.
ValueEstimate estimate_of(const ir::TensorType& type, const ir::Fill& fill, const std::string& name);

/// Numbers at hand, to be stored in `dtype`. Extremes are as they are before they are stored.
ValueEstimate estimate_of(const ir::Tensor& numbers, ir::DType dtype);

/// Numbers anywhere in [low, high]: whole ones where the type is one of integers.
ValueEstimate estimate_of(const ir::TensorType& type, double low, double high);

/// A value of which nothing is known: those who read it get small numbers of its dtype.
ValueEstimate guess_of(const ir::TensorType& type);

/// Completes an estimate that has a pool: mean and rms.
void set_moments(ValueEstimate& estimate);

}  // namespace plumb::parity::studies::lint
