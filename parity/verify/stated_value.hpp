#pragma once

#include <string>

#include "ir/tensor.hpp"

namespace plumb::parity::verify {

/// A value that a file states, and the tensors it is held against. Reals and complex numbers are f64 and c128, the
/// others of their own dtype.
struct StatedValue {
  const ir::Tensor& stated;
  const ir::Tensor* last_digits = nullptr;  ///< weight of the last digit of each element; null where all are exact
  ir::DType dtype = ir::DType::f32;         ///< the value's dtype in the graph
  const ir::Tensor& as_read;                ///< the truth of the operands as they were read
  const ir::Tensor* as_written = nullptr;   ///< that of the decimals in the file, where it is another
  const ir::Tensor* doubt = nullptr;        ///< the error of the truth itself, where it was asked for
};

/// Which elements do not stand, in words; "" where all do. An element stands where
/// min(y_r, y_w) - h <= stated <= max(y_r, y_w) + h, h being half of the larger of a last place of the dtype at y_r and
/// of the weight of its last digit (verdict.md V43). A NaN or an infinity must meet its like.
std::string why_it_does_not_stand(const StatedValue& value);

}  // namespace plumb::parity::verify
