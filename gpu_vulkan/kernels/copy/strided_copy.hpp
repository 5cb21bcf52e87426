#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/strided_copy.hpp"

namespace plumb::gpu_vulkan::kernels::copy {

/// Dispatches a copy of at least one element from one slot to another: through tiles
/// in shared memory where it runs across, element by element otherwise.
void strided_copy(const ir::kernels::StridedCopy& copy, plan::Slot from, plan::Slot to, plan::Lowering& node);

/// The whole of input 0 into the whole of output 0: an alias when nothing moves.
void strided_copy(const ir::kernels::StridedCopy& copy, plan::Lowering& node);

/// The widest word that rows of so many bytes consist of: 16, 8, 4, 2 or 1.
std::size_t word_width(std::size_t row_bytes);

/// The variant of a shader over glsl/word.glsl that moves words of this width. Throws
/// Unsupported when the device has none.
std::string word_variant(std::string_view shader, std::size_t width, const plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::copy
