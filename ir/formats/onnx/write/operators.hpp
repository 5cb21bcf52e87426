// The operators of ONNX that graphs are written with, and the dtypes that they take.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.hpp"
#include "ir/error.hpp"

namespace plumb::ir::to_onnx {

/// No operator of ONNX computes what this use of an op does; the message says why, and is "" where the op has none at
/// all.
class NoOperator : public Error {
 public:
  using Error::Error;
};

/// The opset of a model in which nothing asks for a newer one.
inline constexpr std::int64_t oldest_opset = 17;

/// The first opset, from the oldest on, whose operator of that name takes operands of a dtype. Throws NoOperator.
std::int64_t first_opset(std::string_view name, DType dtype);

/// ONNX's number for a dtype.
int onnx_type(DType dtype);

}  // namespace plumb::ir::to_onnx
