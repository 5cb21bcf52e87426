#pragma once

#include <functional>

#include "parity/cases/node_result.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::verify {

using NodeIs = std::function<bool(std::size_t node)>;

/// Skips the constants that agree, where nothing that the graph computes was compared with anything: they alone verify
/// nothing of it.
void leave_out_constants(cases::CaseResult& result, const NodeIs& is_given);

/// How much of a case was verified on the candidate (verdict.md V10): of the FLOPs of all groups that were to be judged
/// those of groups on the device that passed or failed, and of all elements of their outputs those of the same that say
/// something. Constants do not count in a graph that computes. Both are 1 where there is nothing to count.
core::Coverage coverage_of(const cases::CaseResult& result, bool candidate_is_host, const NodeIs& is_given,
                           const std::function<const core::Segment&(std::size_t node)>& segment);

}  // namespace plumb::parity::verify
