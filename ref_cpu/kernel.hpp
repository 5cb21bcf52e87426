#pragma once

#include <vector>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu {

/// The operands and the results of one node. A kernel for op T is the function
///   void run(const ir::ops::T&, Call&)
/// in ops/t.cpp. `infer` has checked everything that can be checked before the
/// values are known. It is never called for a node whose outputs are all empty.
/// Outputs hold whatever was there before: a kernel writes every element. Kernels
/// may run in parallel, over parallel_for only.
struct Call {
  std::vector<ir::TensorView> inputs;
  std::vector<ir::MutableView> outputs;

  const ir::TensorView& in(std::size_t i) const { return inputs.at(i); }
  const ir::MutableView& out(std::size_t i) const { return outputs.at(i); }
};

}  // namespace plumb::ref_cpu
