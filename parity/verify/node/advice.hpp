#pragma once

// Causes of a failure that a candidate which is not ours is known to have, in words.

#include <string>

#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::verify {

/// The cause of a failed output in f32, where it is one of these: operands of products that kept fewer bits than their
/// dtype has, or a function that is coarser than its contract says, with the rule of a policy that allows it where the
/// node was judged alone. "" where it is neither. `truth` is the output in reference precision; `evaluate` knows the
/// limits of elements of the ops of a group.
std::string advice_on(const settle::Subject& asked, std::size_t k, const ir::Tensor& truth, const ir::TensorView& got,
                      const cases::NodeResult& result, const bounds::runs::Evaluate& evaluate);

}  // namespace plumb::parity::verify
