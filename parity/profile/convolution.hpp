#pragma once

#include <string_view>

#include "ir/ops/conv.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

/// The result of a convolution on an emulated device before it is stored, in f32: filters times taps, zeros outside the
/// images included, plus the bias. `order` is "contract" or that of ir::kernels::taps_first.
ir::Tensor convolution(const ir::ops::Conv& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                       const ProductEmulator& emulator, std::string_view order);

}  // namespace plumb::parity::profile
