#pragma once

#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/core/terminal/style.hpp"

namespace plumb::parity::report {

/// "product in f32 by fma, 8 every pair of all run chain": how one sum is made, innermost first.
std::string text_of_sum(const ir::Sum& sum);

/// All that a case knows of one of its nodes, a line a matter: the reason of its verdict, the computation of its kernel
/// and the order of its sums, each part of its error with the worst elements and how errors are spread, and the
/// findings of samples. Lines are folded to the width of the style, except the command that runs it again.
std::string node_text(const cases::CaseResult& result, const cases::NodeResult& node,
                      const core::terminal::Style& style = {});

}  // namespace plumb::parity::report
