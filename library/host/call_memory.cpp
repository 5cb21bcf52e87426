// Copies to a device before a call, and back behind it.
#include "library/host/call_memory.hpp"

#include <chrono>

namespace plumb::library::host {

const std::string& name_of(const Call& call, std::size_t number) {
  const std::size_t operands = call.operands.size();
  return number < operands ? call.operands[number].name : call.output_names[number - operands];
}

CallMemory::CallMemory(const Call& call, Pattern pattern) {
  for (const NamedTensor& x : call.operands)
    tensors_.emplace_back(x.tensor.type(), x.tensor.view(), pattern, Placement::guard_zones, call.align);
  for (const ir::TensorType& type : call.outputs)
    tensors_.emplace_back(type, std::nullopt, pattern, Placement::guard_zones, call.align);
  for (const GuardedMemory& tensor : tensors_) {
    addresses_.push_back(tensor.data());
    if (call.device == nullptr) continue;
    copies_.emplace_back(*call.device, tensor.with_zones().size());
    addresses_.back() = reinterpret_cast<void*>(copies_.back().address() + GuardedMemory::guard_bytes);
  }
}

void CallMemory::refill(const std::vector<NamedTensor>& operands) {
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    tensors_[i].refill(i < operands.size() ? std::optional(operands[i].tensor.view()) : std::nullopt);
}

std::uint64_t CallMemory::invoke(const Call& call) {
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].upload(tensors_[i].with_zones());
  const auto began = std::chrono::steady_clock::now();
  call.invoke(addresses_);
  const std::string problem = call.device != nullptr ? call.device->problem_of_work() : "";
  const auto took = std::chrono::steady_clock::now() - began;
  ir::require(problem.empty(), "its work on the device ended with ", problem);
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].download(tensors_[i].with_zones());
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
}

}  // namespace plumb::library::host
