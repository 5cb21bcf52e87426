#pragma once

#include "ref_cpu/host_program.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

/// Operands and results of the kernels of a program, step by step, for one run at a time. Runs on the same memory
/// change nothing here.
class StepCalls {
 public:
  /// With what is kept, and with what lies in the layout's arena, in place.
  StepCalls(const HostProgram& program, const HostProgram::Layout& layout);

  /// All that has this home lies there from now on.
  void place(ir::Value home, std::span<std::byte> bytes);
  std::span<std::byte> place_of(ir::Value home) const { return places_[home]; }

  std::span<Call> by_step() { return calls_; }

 private:
  struct Operand {
    std::size_t step, at;
    bool is_result;
    ir::TensorType type;
  };

  void show(const Operand& operand, std::span<std::byte> bytes);

  std::vector<Call> calls_;
  std::vector<std::span<std::byte>> places_;    ///< by home
  std::vector<std::vector<Operand>> operands_;  ///< by home
};

}  // namespace plumb::ref_cpu
