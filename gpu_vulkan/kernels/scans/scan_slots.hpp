#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/scan_states.hpp"

namespace plumb::gpu_vulkan::kernels::scans {

/// The slots that the shaders of a scan read and write: data in the dtype of operand 0, or in f64 where the scan is
/// computed in f64, and states in the compute dtype. Operands and results of other dtypes are converted.
class ScanSlots {
 public:
  ScanSlots(ir::DType computed, const ir::kernels::ScanStates& states, bool has_state, plan::Lowering& node);

  ir::DType data() const { return data_; }
  ir::DType computed() const { return computed_; }
  const std::vector<plan::Slot>& operands() const { return operands_; }  ///< without the state
  /// The state before the first step; where there is none, some slot to bind.
  plan::Slot first() const { return first_; }
  plan::Slot own() const { return results_[0]; }
  plan::Slot last() const { return results_[1]; }
  /// States on the way; the last where none are given.
  plan::Slot way() const { return results_.back(); }

  /// Dispatches the conversions of results, once they are made.
  void finish();

 private:
  plan::Slot converted(std::size_t operand, ir::DType to);

  plan::Lowering& node_;
  const ir::DType computed_, data_;
  std::vector<plan::Slot> operands_, results_;
  plan::Slot first_ = 0;
};

}  // namespace plumb::gpu_vulkan::kernels::scans
