#pragma once

#include <string>

#include "parity/attribution/special.hpp"
#include "parity/cases/node_result.hpp"

/// Where the NaNs and infinities of a run come from: a node that makes one of operands that have none.
namespace plumb::parity::attribution {

/// Adds to a case the first NaN and the first infinity, unless it has them already: by the classes of an output's
/// elements, of one that does not inherit them. Infinities that the case has itself are none.
void add_origins(cases::CaseResult& result, const Computed& computed, const Specials& specials);

/// Counts the nodes that inherit from these origins, and adds a note for each.
void note_origins(cases::CaseResult& result);

/// "first NaN: node 'weights' (domain), 32 elements, 14 nodes inherit; element 3 from -inf - -inf"
std::string to_text(const cases::NonFiniteOrigin& origin);

}  // namespace plumb::parity::attribution
