// The memory of all tensors of a call, on the host or on a device.
#pragma once

#include "library/host/guarded_memory.hpp"
#include "library/host/judged_call.hpp"

namespace plumb::library::host {

/// The name of a tensor by its number among operands and then outputs.
const std::string& name_of(const Call& call, std::size_t number);

/// Operands and outputs between guard zones. Where the call has a device, its function works on copies there, which
/// have zones, too.
class CallMemory {
 public:
  CallMemory(const Call& call, Pattern pattern);

  /// Puts other operands into the same memory, the pattern into outputs, and the pattern around all of them again.
  void refill(const std::vector<NamedTensor>& operands);

  /// Calls the function, waits for it, and has in `tensors` what it left. The nanoseconds that it took.
  std::uint64_t invoke(const Call& call);

  /// Where the function finds its tensors.
  const std::vector<void*>& addresses() const { return addresses_; }
  const std::vector<GuardedMemory>& tensors() const { return tensors_; }

 private:
  std::vector<GuardedMemory> tensors_;
  std::vector<CudaMemory> copies_;  ///< one for each tensor, where there is a device
  std::vector<void*> addresses_;
};

}  // namespace plumb::library::host
