#pragma once

#include "ir/executor.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::testing {

/// A device of which the arithmetic is known: it rounds as its profile says, node by node. Matrix
/// products are the emulator's; subnormals are flushed, and fma rounded twice, where the profile says so; the
/// rest is the CPU executor's.
class EmulatedDevice final : public ir::Executor {
 public:
  explicit EmulatedDevice(parity::profile::DeviceProfile profile) : profile_(std::move(profile)) {}

  std::string_view name() const override { return "emulated"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  class Program;
  parity::profile::DeviceProfile profile_;
};

/// A matrix unit of which everything is known: 16 products at a time, aligned with two more bits than an f32 has,
/// cut off; a new sum every 128 terms.
parity::profile::Products matrix_unit(std::string kernel, ir::DType operands, int operand_bits);

}  // namespace plumb::testing
