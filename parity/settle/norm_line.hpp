#pragma once

#include <functional>

#include "parity/element/terms/lines.hpp"
#include "parity/settle/inside_sum.hpp"
#include "parity/settle/rows.hpp"

namespace plumb::parity::settle {

/// A normalisation y = (x - mean) / √(variance + epsilon) · scale + bias of lines of operand 0.
struct Normalization {
  element::terms::Lines lines;
  bool centred = true;
  double epsilon = 0;
  bool epsilon_outside = false;  ///< epsilon is added to the root, not under it
  /// By the flat index of an element; none: 1 and 0.
  std::function<double(std::int64_t)> scale = {}, bias = {};
  double roundings_of_scale = 0;  ///< roundoffs that kernels may have the scale off by
};

/// The rows of an op that normalises so.
Rows normalized_rows(const Operation& operation, Normalization how);

/// A further output of a norm: one number for each line.
enum class Statistic { mean, inverse_deviation };

/// Their rows, one element each.
Rows statistic_rows(const Operation& operation, Normalization how, Statistic which);

/// The number for each element of y that an operand with one for each channel, y's second axis, has.
std::function<double(std::int64_t)> by_channel(const element::terms::Operand& operand, const ir::Shape& y);

/// Operand i, broadcast to y, by the element.
std::function<double(std::int64_t)> broadcast(const element::terms::Operand& operand, const ir::Shape& y);

}  // namespace plumb::parity::settle
