#pragma once

#include "ir/kernels/packed/format.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir::kernels::packed {

/// The format of this name. Throws Error that lists all where there is none.
Format format_named(std::string_view name);

/// Random codes of a format, whose rows run along the last axis of a tensor of u8 or i8: each byte is the top of a word
/// of the stream (ops.md B.1), but for factors in blocks, which are of ordinary size: f16 ones ± (2^-6 to 2^-3), the
/// exponents of mxfp4 118 to 125. Throws Error where rows have a part of a block.
Tensor fill(const TensorType& type, Format format, std::uint64_t seed, std::uint32_t stream);

}  // namespace plumb::ir::kernels::packed
