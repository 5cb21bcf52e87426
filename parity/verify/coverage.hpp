#pragma once

#include <functional>

#include "parity/cases/node_result.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::verify {

/// How much of a case was verified on the candidate (verdict.md V10): of the FLOPs of all groups that were to be judged
/// those of groups on the device that passed or failed, and of all elements of their outputs those of the same that say
/// something. Both are 1 where there is nothing to count.
core::Coverage coverage_of(const cases::CaseResult& result, bool candidate_is_host,
                           const std::function<const core::Segment&(std::size_t node)>& segment);

}  // namespace plumb::parity::verify
