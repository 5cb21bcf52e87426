#pragma once

// Causes of a failure that a candidate which is not ours is known to have, in words.

#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::verify {

/// The cause of a failed output of one node, where it is one of these: operands of products that kept fewer bits than
/// their dtype has, or a function that is coarser than its contract says, with the rule of a policy that allows it. ""
/// where it is neither. `truth` is the output in reference precision.
std::string advice_on(const settle::Subject& asked, std::size_t k, const ir::Tensor& truth, const ir::TensorView& got,
                      const cases::NodeResult& result);

}  // namespace plumb::parity::verify
