#pragma once

#include "parity/cases/pattern.hpp"
#include "parity/settle/subject.hpp"

/// Patterns that failing elements have in common, as a hint at the place of the fault (verdict.md 13). They do not
/// decide whether an element failed.
namespace plumb::parity::checks::patterns {

/// Patterns of output `k` of a segment whose comparison failed: which terms, then which places, then which values, at
/// most one each; what is said first says most. Empty where elements have nothing in common.
std::vector<cases::Pattern> explain(const settle::Subject& subject, std::size_t k, const ir::Tensor& expected,
                                    const compare::Allowed& allowed, const ir::TensorView& got);

}  // namespace plumb::parity::checks::patterns
