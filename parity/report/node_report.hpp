#pragma once

#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/terminal/style.hpp"

namespace plumb::parity::report {

/// All that a case knows of one of its nodes, a line a matter: why its verdict is what it is, what its kernel computes
/// of which operands and how it adds, each part of its error with the worst elements and how errors are spread, and
/// what samples of it said. Lines are folded to the width of the style, but for the command that runs it again.
std::string node_text(const cases::CaseResult& result, const cases::NodeResult& node,
                      const terminal::Style& style = {});

}  // namespace plumb::parity::report
