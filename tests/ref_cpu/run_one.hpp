#pragma once

#include "ref_cpu/cpu_executor.hpp"

namespace plumb::ref_cpu {

/// The first result of one op on these tensors, on the CPU executor.
inline ir::Tensor run_one(const ir::Op& op, const std::vector<ir::Tensor>& inputs, int threads = 0) {
  CpuExecutor cpu({threads});
  return ir::run_op(cpu, op, inputs).front();
}

}  // namespace plumb::ref_cpu
