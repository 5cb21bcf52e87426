#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/strided_copy.hpp"

namespace plumb::gpu_vulkan::kernels::copy {

/// Dispatches a copy of at least one element from one slot to another: through tiles
/// in shared memory where it runs across, element by element otherwise.
void strided_copy(const ir::kernels::StridedCopy& copy, plan::Slot from, plan::Slot to, plan::Lowering& node);

/// The whole of input 0 into the whole of output 0: an alias when nothing moves.
void strided_copy(const ir::kernels::StridedCopy& copy, plan::Lowering& node);

/// Output 0 begins as operand 0, of which the node changes a part: written over where the plan allows it
/// (Lowering::writes_over), which is what this returns, or a copy.
bool begin_as_operand(plan::Lowering& node);
/// As above, always a copy, and says why.
void copy_operand(const std::string& why, plan::Lowering& node);

/// The widest word that rows of so many bytes consist of: 16, 8, 4, 2 or 1.
std::size_t word_width(std::size_t row_bytes);

/// The variant of a shader over glsl/word.glsl that moves words of this width. Throws
/// Unsupported when the device has none.
std::string word_variant(std::string_view shader, std::size_t width, const plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::copy
