#pragma once

#include "parity/cases/pattern.hpp"
#include "parity/elements/subject.hpp"

/// What the elements that failed have in common, so that whoever looks for the fault knows where (verdict.md 13). It
/// says nothing about whether they failed.
namespace plumb::parity::patterns {

/// Patterns of output `k` of a segment whose comparison failed: which terms, then which places, then which values, at
/// most one each; what is said first says most. Empty where elements have nothing in common.
std::vector<cases::Pattern> explain(const elements::Subject& subject, std::size_t k, const bounds::Bounded& bounded,
                                    const ir::TensorView& got);

/// The patterns in one line, with the kernel and its tile.
std::string to_text(const std::vector<cases::Pattern>& patterns, const std::string& kernel, const std::string& tile);

}  // namespace plumb::parity::patterns
