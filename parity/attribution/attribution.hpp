#pragma once

#include <span>
#include <string>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::attribution {

/// How large an error is beside the truth, both by their 2-norms: 0 of no error at all, NaN where that has no meaning
/// (a truth of zeros, a NaN that met a number).
double relative_error(const compare::Comparison& comparison);

/// By how much a node enlarges what its inputs have wrong: the relative error it inherits over that of its
/// inputs, whose squares are added. An observed condition number; NaN when its inputs have no error.
double amplification(double inherited, std::span<const double> inputs);

/// Whether it is the error in total that a mode judges of an output. Not of floats that are only moved, chosen or
/// rounded: they hand on what was judged where it was made.
bool gates_total(core::Mode mode, const compare::Allowed& allowed, ir::DType dtype);

/// The labels of the nodes whose work the kernel of this one does, in the order of the graph.
std::vector<std::string> fused_into(const cases::CaseResult& result, const cases::NodeResult& last);

/// "attn0/softmax (softmax): its own error is 7.4 times its bound; the 3 nodes after it only inherit", or "" when
/// nobody is guilty. Where nodes are fused into it all are named, "act (unary) with product, sum fused into it: ...".
std::string guilty_text(const cases::CaseResult& result);

/// "the total of logits is beyond [output]; most of it comes from scores (74 %)", a line for each output that failed by
/// its error in total, and not by its own. Where its error was not shared out among nodes, it is said whether most of
/// it is its own.
std::string totals_text(const cases::CaseResult& result);

/// "error of logits: 97 % from scores, 2 % from weights", a line for each result whose error was shared out.
std::string blame_text(const cases::CaseResult& result);

}  // namespace plumb::parity::attribution
