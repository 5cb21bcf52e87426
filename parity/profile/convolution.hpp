#pragma once

#include <string_view>

#include "ir/ops/conv.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

/// What an emulated device gives for a convolution before it is stored, in f32: filters by what they meet, zeros
/// outside the images among it, and the bias. `order` is "contract" or that of ir::kernels::taps_first.
ir::Tensor convolution(const ir::ops::Conv& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                       const ProductEmulator& emulator, std::string_view order);

}  // namespace plumb::parity::profile
