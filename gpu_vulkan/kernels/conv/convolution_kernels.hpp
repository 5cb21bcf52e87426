#pragma once

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/conv/convolution.hpp"
#include "gpu_vulkan/kernels/conv/window_axes.hpp"

// Declarations of all convolution kernels. Each kernel says why it does not take a convolution, or dispatches it.
namespace plumb::gpu_vulkan::kernels::conv {

/// glsl/convolution.glsl
struct ConvBlock {
  std::uint32_t batch, group, channels, filters;  ///< channels and filters of one group
  WindowAxes axes;

  std::int64_t images() const { return std::int64_t{batch} * group; }
  std::int64_t taps() const { return std::int64_t{axes.kernel[0]} * axes.kernel[1] * axes.kernel[2]; }
  /// The K of the product that a convolution is.
  std::int64_t gemm_k() const { return channels * taps(); }
  std::int64_t elements_of_image() const { return std::int64_t{axes.extent[0]} * axes.extent[1] * axes.extent[2]; }
};

/// A node's convolution, on its way to a kernel.
struct Convolution {
  ConvBlock block;
  bool has_bias = false;
  Epilogue epilogue = {};
  bool sums_in_f16 = false;  ///< may have f16 accumulators

  bool has_epilogue() const { return epilogue.residual || epilogue.low || epilogue.high; }
  bool is_large() const {
    const auto outputs = static_cast<double>(block.images() * block.filters) * static_cast<double>(block.axes.count());
    return common::is_worth_a_pipeline(outputs * static_cast<double>(block.gemm_k()));
  }
};

/// The sum with bias and epilogue behind it, as the convolution has them.
ir::Sum with_epilogue(const Convolution& conv, ir::Sum sum);

/// Dispatches a shader of convolutions; the constants of its epilogue are added to its own.
void dispatch(const Convolution& conv, plan::Lowering& node, plan::Shader shader, plan::Groups groups);
/// Dispatches a shader that reads the filters from elsewhere, or is pushed something else.
void dispatch(const Convolution& conv, plan::Lowering& node, plan::Shader shader, plan::Groups groups,
              plan::Slot filters, const plan::Push& push);

/// The product that a convolution is: filters times windows, a batch of groups.
inline device::ProductSize size_of(const ConvBlock& block) {
  return {block.filters, block.batch * block.axes.count(), block.gemm_k(), block.group};
}

/// 1x1 kernels, lowered as a product of filters and images. On an H200 those of convolutions, below, are as fast or
/// faster where they can be: this one is for what they refuse.
plan::Attempt attempt_pointwise(const Convolution& conv, plan::Lowering& node);

/// f16 and bf16 by cooperative matrices; a halo tile of the images is staged once for all taps.
plan::Attempt attempt_halo(const Convolution& conv, plan::Lowering& node);
/// f16 by cooperative matrices with f16 accumulators, where that is allowed.
plan::Attempt attempt_summed_in_f16(const Convolution& conv, plan::Lowering& node);
/// f16 and bf16 by cooperative matrices.
plan::Attempt attempt_cooperative(const Convolution& conv, plan::Lowering& node);
/// f32 by tiles of registers.
plan::Attempt attempt_wide(const Convolution& conv, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::conv
