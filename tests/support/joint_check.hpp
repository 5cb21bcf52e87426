// Ops whose outputs are judged together, held to their judges on both executors (verdict.md 14).
#pragma once

#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::testing {

/// The verdicts of the op's judge on these outputs, one by one, and whether the op's definition gives the truth that
/// they were compared with. They are taken for those of a kernel whose sums are unknown, and, `on_gpu`, one that may
/// flush subnormals; the definition is asked only where they are not.
std::vector<parity::cases::NodeResult> judged(const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                                              const std::vector<ir::Tensor>& outputs, bool on_gpu = false);

/// "" where all outputs agree and have limits, else what is wrong of the first that does not.
std::string complaint_of(const std::vector<parity::cases::NodeResult>& results);

struct JointCheck {
  std::vector<ir::Tensor> cpu, gpu;  ///< outputs; of the GPU none where there is none
  std::vector<parity::cases::NodeResult> of_cpu, of_gpu;
};

/// Runs the op on the CPU, with 1, 2 and 7 threads, and on the GPU, and expects equal bits of all threads, that its
/// judge finds nothing, on ordinary data by limits that say something, and that the truth is what the op's definition
/// gives. Without a device the test skips after the CPU was checked.
JointCheck check_jointly(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Data data = Data::ordinary,
                         Where where = Where::cpu_and_gpu);
inline JointCheck check_jointly(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where) {
  return check_jointly(op, inputs, Data::ordinary, where);
}

/// Expects the op in f64 to be what its oracle says of every element. Of one in ten it may say nothing, as choices hang
/// on roundings.
void check_against_oracle(const ir::Op& op, const std::vector<ir::Tensor>& inputs);

/// Expects the op in f64 to be what its oracle says of every element, and what its definition gives.
void check_against_definitions(const ir::Op& op, const std::vector<ir::Tensor>& inputs);

}  // namespace plumb::testing
