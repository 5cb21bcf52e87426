// Declares the decoders of packed blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/kernels/packed/format.hpp"

namespace plumb::ref_cpu::packed {

/// The f32 values of `count` consecutive blocks of a format that has its scales in them (ops.md A.2, ops.md A.3).
void decode_blocks(ir::kernels::packed::Format format, const std::byte* blocks, std::int64_t count, float* values);

}  // namespace plumb::ref_cpu::packed
