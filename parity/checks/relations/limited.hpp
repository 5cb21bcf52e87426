#pragma once

#include "parity/cases/relation_result.hpp"

namespace plumb::parity::checks::relations {

/// The limits of a result, as f64: how far each element may be from the truth, and 1 where it is not judged.
struct Limited {
  ir::Tensor limits, apart;
};

/// The sum of two f64 tensors of one shape.
ir::Tensor sum(const ir::Tensor& a, const ir::Tensor& b);

/// How far the rounding of each of these sums to f64 takes it.
ir::Tensor lost_in_sum(const ir::Tensor& a, const ir::Tensor& b);

/// The limits of a difference of two results, which nobody judges where either of them is not judged.
Limited both(const Limited& a, const Limited& b);

/// Each element's limit, by what is allowed of a result, or half of it where the element is within that half: it is
/// known to be (verdict.md V15). `truth` is widened.
Limited limited_by(const compare::Allowed& allowed, const ir::Tensor& truth, const ir::Tensor& got);

/// Holds `got` to `expected` within limits, and completes the result of the relation. `expected` is of the dtype of
/// `got` or, where it is made of several results, f64.
compare::Comparison hold_within(const ir::Tensor& expected, const ir::Tensor& got, const Limited& limited,
                                cases::RelationResult& result);

}  // namespace plumb::parity::checks::relations
