#pragma once

// Advice for programs on an output that did not pass: of what its limit is made, and what to run next.

#include "parity/cases/node_result.hpp"
#include "parity/core/json_number.hpp"

namespace plumb::parity::report {

/// The limit of the worst element, by the numbers that judged it (docs/agents.md): value, by, terms, sigma, lambda,
/// fixed, certain, unit, levels, rules and text. Null where no element was held to a limit; what is not known is null,
/// too.
nlohmann::ordered_json limit_json(const cases::CaseResult& result, const cases::NodeResult& node);

/// One to three steps, each why and a command that runs as it stands; none of what passed, and where nothing repeats
/// the case.
nlohmann::ordered_json next_json(const cases::CaseResult& result, const cases::NodeResult& node);

}  // namespace plumb::parity::report
