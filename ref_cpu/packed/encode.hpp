// Declares the encoders of packed blocks.
#pragma once

#include <cstddef>

#include "ir/kernels/packed/format.hpp"

namespace plumb::ref_cpu::packed {

/// Packs 32 finite numbers into a block of q4_0, q4_1, q5_0, q5_1, q8_0 or mxfp4 (ops.md A.6).
void encode_block(ir::kernels::packed::Format format, const float* x, std::byte* block);

}  // namespace plumb::ref_cpu::packed
