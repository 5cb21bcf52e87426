#pragma once

#include "ir/ops/attention.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

/// The result of an attention on an emulated device before it is stored, in f32: scores, weights of a row and values
/// are added as their records in `sums` say, block after block of keys with a running maximum; exponentials and tanh
/// are the CPU's. `fused` decides what the records leave to the compiler. Nothing where a record leaves something else
/// open, or the profile does not say all about its unit.
std::optional<ir::Tensor> attention(const ir::ops::Attention& op, std::span<const ir::TensorView> inputs,
                                    const ir::Shape& y, const DeviceProfile& profile, std::span<const ir::Sum> sums,
                                    bool fused);

}  // namespace plumb::parity::profile
