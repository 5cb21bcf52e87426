#pragma once

#include <string>
#include <vector>

#include "ir/op.hpp"

namespace plumb::tests {

/// One node of an op that only moves elements.
struct MovementCase {
  std::string name;  ///< as a test is called: letters, digits and _
  ir::Op op;
  std::vector<ir::TensorType> operands;
  std::vector<std::int64_t> indices = {};  ///< for gather: the values of its second operand
};

/// The edges of reshape, transpose, expand, slice, concat, split and gather.
std::vector<MovementCase> movement_cases();

/// The operands of a case: noise, and the indices.
std::vector<ir::Tensor> operands_of(const MovementCase& c);

/// The results by the op's definition, one element at a time.
std::vector<ir::Tensor> moved(const ir::Op& op, const std::vector<ir::Tensor>& operands);

/// Whether two tensors have one type and the same bytes, those of NaN included.
bool same_bytes(const ir::Tensor& a, const ir::Tensor& b);

void PrintTo(const MovementCase& c, std::ostream* out);

}  // namespace plumb::tests
