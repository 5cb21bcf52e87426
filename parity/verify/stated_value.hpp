#pragma once

#include <string>

#include "ir/tensor.hpp"

namespace plumb::parity::verify {

/// What a file states of one value, and what it is held against. Reals and complex numbers are f64 and c128, the others
/// of their own dtype.
struct StatedValue {
  const ir::Tensor& stated;
  const ir::Tensor* last_digits = nullptr;  ///< what the last digit of each element counts; null where all are exact
  ir::DType dtype = ir::DType::f32;         ///< what the value has in the graph
  const ir::Tensor& as_read;                ///< the truth of the operands as they were read
  const ir::Tensor* as_written = nullptr;   ///< that of the decimals in the file, where it is another
  const ir::Tensor* doubt = nullptr;        ///< by how much the truth itself may be off, where somebody asked
};

/// Which elements do not stand, in words; "" where all do. An element stands where
/// min(y_r, y_w) - h <= stated <= max(y_r, y_w) + h, h being half of the larger of a last place of the dtype at y_r and
/// of what its last digit counts (verdict.md V43). What is no number must meet its like.
std::string why_it_does_not_stand(const StatedValue& value);

}  // namespace plumb::parity::verify
