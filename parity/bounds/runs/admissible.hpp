#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/tensor.hpp"

/// Values of an element that hangs on a discrete choice which roundings on the way may decide otherwise: a code next
/// to a tie, a bool next to a threshold, an index of nearly equal scores (verdict.md V44).
namespace plumb::parity::bounds::runs {

/// The values that elements of a tensor may have. An element that is not open has its truth, give or take roundings.
struct Admissible {
  /// At least two tensors of the truth's type. An open element is what one of them has there or, where these are the
  /// ends of a range, a number from the first to the second.
  std::vector<ir::Tensor> values;
  bool is_range = false;
  std::vector<bool> open;   ///< elements that may be another than the truth
  double roundings = 0;     ///< by how many units of roundoff the values themselves may be off
  bool covers_all = false;  ///< open elements may be whatever the dtype or the choice has: agreement says nothing

  bool any_open() const;
  /// The least and the largest value of each element.
  std::pair<ir::Tensor, ir::Tensor> ends() const;
};

/// Lowers `low` and raises `high` to what `x` has, element by element; a NaN changes nothing.
void extend(ir::Tensor& low, ir::Tensor& high, const ir::Tensor& x);

/// Where two tensors of one type differ; NaN equals NaN.
std::vector<bool> differs(const ir::Tensor& a, const ir::Tensor& b);

/// Those values between two ends, which are integers, bools or floats without a fraction: one tensor for each, where no
/// open element has more than eight, else the range.
Admissible between(ir::Tensor low, ir::Tensor high, std::vector<bool> open);

/// Whether open element `i` may be what `given`, of the truth's dtype or a narrower float, has there. `tolerance` is
/// the absolute error that a float may have in addition.
bool admits(const Admissible& admissible, const ir::TensorView& given, std::size_t i, double tolerance = 0);

}  // namespace plumb::parity::bounds::runs
