#pragma once

#include <map>

#include "parity/bounds/bounded.hpp"
#include "parity/core/segment.hpp"
#include "parity/judges/question.hpp"

namespace plumb::parity::judges {

/// Admissible decisions of a candidate by output, codes, experts or tokens, in the dtypes of the widened graph.
using DecidedOutputs = std::map<std::size_t, const ir::Tensor*>;

/// Whether a candidate decided otherwise than the truth.
bool differ(const DecidedOutputs& decided, const core::Evaluated& truth);

/// The outputs of one node under decisions, on whatever it was fed, and how far each may be off: by chance one standard
/// deviation. `truth` is that of its own decisions. The node has a judge.
std::vector<OutputJudgement> outputs_under(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                                           const bounds::Manner& manner, const ExtraJudges* extra,
                                           const DecidedOutputs& decided, const core::Evaluated& truth);

/// Has the truth of one node, on whatever it was fed, follow decisions: those outputs become what was decided, and the
/// others what they are under that, as the weights of experts are. The node has a judge.
void follow(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed, const bounds::Manner& manner,
            const ExtraJudges* extra, const DecidedOutputs& decided, core::Evaluated& truth);

}  // namespace plumb::parity::judges
