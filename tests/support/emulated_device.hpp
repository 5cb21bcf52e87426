#pragma once

#include "ir/executor.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::testing {

/// A device of which the arithmetic is known: it rounds as its profile says, node by node. Matrix
/// products are the emulator's; subnormals are flushed, and fma rounded twice, where the profile says so; the
/// rest is the CPU executor's.
class EmulatedDevice final : public ir::Executor {
 public:
  /// Its kernels sum products in these levels.
  explicit EmulatedDevice(parity::profile::DeviceProfile profile,
                          parity::profile::Levels levels = parity::profile::one_chain())
      : published(levels), profile_(std::move(profile)), levels_(std::move(levels)) {}

  parity::profile::Levels published;  ///< levels that its kernels publish: the true ones unless told otherwise
  std::string kernel = "emulated";    ///< the name of all of them

  std::string_view name() const override { return "emulated"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  class Program;
  parity::profile::DeviceProfile profile_;
  parity::profile::Levels levels_;
};

/// A matrix unit of which everything is known: 16 products at a time, aligned with two more bits than an f32 has,
/// cut off.
parity::profile::Products matrix_unit(ir::DType operands, int operand_bits);

}  // namespace plumb::testing
