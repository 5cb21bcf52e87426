#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/strided_copy.hpp"

namespace plumb::gpu_vulkan {

/// Dispatches a copy of at least one element from one slot to another: through tiles
/// in shared memory where it runs across, element by element otherwise.
void strided_copy(const ir::StridedCopy& copy, Slot from, Slot to, Lowering& node);

/// The whole of input 0 into the whole of output 0: an alias when nothing moves.
void strided_copy(const ir::StridedCopy& copy, Lowering& node);

/// The widest word that rows of so many bytes consist of: 16, 8, 4, 2 or 1.
std::size_t word_width(std::size_t row_bytes);

/// The variant of a shader over glsl/word.glsl that moves words of this width. Throws
/// Unsupported when the device has none.
std::string word_variant(std::string_view shader, std::size_t width, const Lowering& node);

}  // namespace plumb::gpu_vulkan
