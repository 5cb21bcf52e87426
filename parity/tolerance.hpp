#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "parity/compare.hpp"

namespace plumb::parity {

/// What made the output that is being judged: one op, or several that an executor fused.
struct Judged {
  ir::ErrorClass error_class = ir::ErrorClass::exact;
  std::int64_t contraction = 0;        ///< the most terms summed for one element; 0 when nothing is summed
  std::vector<ir::TensorView> inputs;  ///< all that the candidate was fed, at its own dtypes
  bool flushes_subnormals = false;     ///< the device may give 0 for an f32 or f64 subnormal
  bool ends_exactly = false;           ///< of several ops the last is exact: a relu makes zeros of other numbers
};

/// One op on these inputs.
Judged judged(const ir::Op& op, std::vector<ir::TensorView> inputs, ir::Types out);

/// The error class of several ops one after the other: exact as long as all are
/// (bits where all are), else comp.
ir::ErrorClass chained(std::span<const ir::ErrorClass> classes);

/// Whether `allowed_for` looks at the native evaluation at all.
bool needs_native(const Judged& judged, ir::DType dtype);

/// How far an output of this dtype may be from the truth. Until an op has an error
/// model of its own (ops.md D.2 to D.7), elementwise functions are held to 8 ulps of
/// the type they compute in, and other real arithmetic to the generic model (D.6):
///
///   max(8 u |y|, 4 max over the tensor of |native - y|)
///
/// `native` compares the CPU executor at the candidate's own precision, an honest
/// evaluation of the same inputs, with the truth y; so the suspect does not scale its
/// own limit. Of ops fused on 16-bit floats it is the truth rounded once. Where that says
/// little (as precise as the truth, equal to it, or fewer than 64 elements), the second term
/// is at least 4 max |y| times the larger of u and, with the accumulator's u, u sqrt(terms summed).
/// Data movement, comparisons, integers and indices are exact.
Allowed allowed_for(const Judged& judged, ir::DType dtype, const Comparison& native);

/// The comparison of the native evaluation that `allowed_for` wants.
Comparison measure(const ir::TensorView& truth, const ir::TensorView& native);

/// Whether the absolute part of a limit exceeds 10^-2 of the truth's rms, beyond what the
/// spacing of the storage type accounts for: that is there whatever an executor does,
/// and at 8 u = 3 % of bf16 it would mistrust every such graph.
bool is_too_loose(const Allowed& allowed, const Comparison& comparison, ir::DType dtype);

/// Why agreement would prove nothing (ops.md D.8), or "".
///
///   zeros      more than 30 % of the truth is 0, and that share of an input too: zeros that an op
///              makes of other numbers are its work. Not asked of data that is only moved or
///              selected. A truth that is all 0 is mistrusted whatever made it.
///   constant   every element is the same, and so is every input that has several elements.
///   finite     no element of several is, so that nothing was measured.
///   tolerance  it is too loose, as above.
///
/// Outputs of less than two elements, and outputs made of nothing, are as telling as they can be.
std::string mistrust(const Judged& judged, const Allowed& allowed, const Comparison& comparison, ir::DType dtype);

}  // namespace plumb::parity
