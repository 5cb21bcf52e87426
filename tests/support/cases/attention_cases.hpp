#pragma once

#include <string>
#include <vector>

#include "ir/ops/attention.hpp"

namespace plumb::tests {

/// One node of attention: random operands of these extents.
struct AttentionCase {
  std::string name;  ///< as a test is called: letters, digits and _
  ir::ops::Attention::Extents n;
  ir::ops::Attention op;
  ir::Shape mask = {}, bias = {};             ///< where the op has them
  std::vector<std::int64_t> kv_lengths = {};  ///< likewise, by batch element
};

/// The edges of ops.md 8.
std::vector<AttentionCase> attention_cases();

/// The operands of a case in this dtype. Its masks hide about a third of the keys, its
/// biases a few by -inf.
std::vector<ir::Tensor> operands_of(const AttentionCase& c, ir::DType dtype);

/// The attention of f64 operands by its definition, one query at a time.
ir::Tensor attention_by_definition(const ir::ops::Attention& op, const std::vector<ir::Tensor>& operands);

void PrintTo(const AttentionCase& c, std::ostream* out);

}  // namespace plumb::tests
