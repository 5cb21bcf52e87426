#pragma once

#include "parity/cases/pattern.hpp"
#include "parity/settle/subject.hpp"

/// Patterns that failing elements have in common, as a hint at the place of the fault (verdict.md 13). They do not
/// decide whether an element failed.
namespace plumb::parity::checks::patterns {

/// Patterns of output `k` of a segment whose comparison failed: which terms, then which places, then which values, at
/// most one each; what is said first says most. Empty where elements have nothing in common. `before`: the truth of the
/// run that the candidate made before, in reference precision; null where there was none.
std::vector<cases::Pattern> explain(const settle::Subject& subject, std::size_t k, const ir::Tensor& expected,
                                    const compare::Allowed& allowed, const ir::TensorView& got,
                                    const ir::Tensor* before = nullptr);

}  // namespace plumb::parity::checks::patterns
