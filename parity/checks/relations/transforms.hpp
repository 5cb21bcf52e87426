#pragma once

#include <functional>

#include "parity/cases/relation_result.hpp"
#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

/// A transform that the candidate made, and who makes others.
struct TransformRun {
  const ir::Op& op;
  const ir::Tensor& x;
  const ir::Tensor& y;
  /// The result of an op on one operand; nothing where the candidate does not run it itself.
  std::function<std::optional<ir::Tensor>(const ir::Op&, const ir::Tensor&)> run;
  bool flushes_subnormals = false;
};

/// Asks of every line along the transform's axis, by the 2-norm of what its errors may come to (verdict.md V67):
/// whether it is as long as its operand (Parseval), the sum of the transforms of two lines that add up to its operand,
/// that of the shifted operand but for a factor, and the operand again once it is transformed back. `blank` has the
/// node's number and label. The reference is not asked. Lines with a NaN or an infinity, or so large that an algorithm
/// may leave the range of the type, are left out (ops.md 10).
std::vector<cases::RelationResult> check_transform(const TransformRun& made, const Transform& how,
                                                   const cases::RelationResult& blank);

}  // namespace plumb::parity::checks::relations
