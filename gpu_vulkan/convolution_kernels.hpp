#pragma once

#include "gpu_vulkan/convolution.hpp"
#include "gpu_vulkan/window_axes.hpp"

// What the kernels of convolutions share. Each kernel says why it does not take a convolution, or dispatches it.
namespace plumb::gpu_vulkan {

/// glsl/convolution.glsl
struct ConvBlock {
  std::uint32_t batch, group, channels, filters;  ///< channels and filters of one group
  WindowAxes axes;

  std::int64_t images() const { return std::int64_t{batch} * group; }
  std::int64_t taps() const { return std::int64_t{axes.kernel[0]} * axes.kernel[1] * axes.kernel[2]; }
  std::int64_t terms() const { return channels * taps(); }
  std::int64_t elements_of_image() const {
    return std::int64_t{axes.extent[0]} * axes.extent[1] * axes.extent[2];
  }
};

/// A node's convolution, on its way to a kernel.
struct Convolution {
  ConvBlock block;
  bool has_bias = false;
  Epilogue epilogue = {};

  bool has_epilogue() const { return epilogue.residual || epilogue.low || epilogue.high; }
};

/// Dispatches a shader of convolutions; the constants of its epilogue are added to its own.
void dispatch(const Convolution& conv, Lowering& node, Shader shader, Groups groups);

// Of one element a kernel: a product of filters and images, for which those of products are chosen from.
std::optional<std::string> refuse_pointwise(const Convolution& conv, const Lowering& node);
void emit_pointwise(const Convolution& conv, Lowering& node);

// f16 and bf16 by cooperative matrices, f32 by tiles of registers. Both add up the terms of an element as the products
// of cooperative matrices and the wide ones do, whose names they have in profiles of devices.
std::optional<std::string> refuse_cooperative(const Convolution& conv, const Lowering& node);
void emit_cooperative(const Convolution& conv, Lowering& node);
std::optional<std::string> refuse_wide(const Convolution& conv, const Lowering& node);
void emit_wide(const Convolution& conv, Lowering& node);

}  // namespace plumb::gpu_vulkan
