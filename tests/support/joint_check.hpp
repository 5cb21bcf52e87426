// Ops whose outputs are judged together, held to their judges on both executors (docs/joint_judging.md).
#pragma once

#include <vector>

#include "parity/cases/node_result.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::testing {

/// What the op's judge says of these outputs, one by one, and whether the op's definition gives the truth that they
/// were compared with, where it is asked. The outputs are taken for those of a kernel that flushes no subnormals and of
/// whose sums nothing is known.
std::vector<parity::cases::NodeResult> judged(const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                                              const std::vector<ir::Tensor>& outputs);

/// Expects what the CPU and, where there is one, the GPU make of these operands to be right by the op's judge, and the
/// truth to be what the op's definition gives. Without a device the test skips after the CPU was checked.
void check_jointly(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where = Where::cpu_and_gpu);

}  // namespace plumb::testing
