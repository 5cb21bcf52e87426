// Calls of a function by which it shows what it does with memory, and the verdict on them (library.md B).
#pragma once

#include <functional>

#include "library/host/cuda_device.hpp"
#include "library/host/exchange.hpp"

namespace plumb::library::host {

/// Calls the function with the addresses of its operands and then of its outputs. Throws Error where the function says
/// that it failed.
using Invoke = std::function<void(std::span<void* const> tensors)>;

/// A function with the operands of one run and the types of its outputs.
struct Call {
  Invoke invoke;
  std::vector<NamedTensor> operands;
  std::vector<std::string> output_names;
  std::vector<ir::TensorType> outputs;
  std::size_t align = 1;
  const CudaDevice* device = nullptr;  ///< in whose memory the tensors are; null: the host's
};

/// How a function behaves with every tensor at the edge of a page: what it reads or writes there ("reads 16 bytes
/// behind x0"), or what it says only there. Both are "" where it behaves.
struct AtEdges {
  std::string misdeed, error;
};

/// Calls the function in processes of their own, since a fault ends one. To be done before the function is called in
/// this process: threads that it starts do not survive in a copy. A function that dies wherever its tensors are shows
/// nothing here; judged() then ends this process.
AtEdges at_edges(const Call& call);

/// Likewise on the call's device, with one tensor after the other at both edges, in this process. To be done behind
/// judged(), since a fault ends all work of this process on the device.
AtEdges at_device_edges(const Call& call);

/// Other inputs of the same types (ir::make_other): integers change only where there are no floats, since they may be
/// indices that have to be in order.
std::vector<NamedTensor> other_inputs(const std::vector<NamedTensor>& operands);

struct Judged {
  std::vector<ir::Tensor> outputs;
  std::uint64_t nanoseconds = 0;  ///< that the quickest call took
};

/// Calls the function between guard zones, with two patterns in its outputs and around its tensors and after a call on
/// other inputs. Throws Misdeed with the reason where it changes what is not its own, leaves elements unwritten, or
/// gives other bits, and Error where the function does.
Judged judged(const Call& call);

}  // namespace plumb::library::host
