// Convolution by 1x1 filters as a batched matrix product of filters and images, where the other kernels refuse.
#include "gpu_vulkan/kernels/conv/convolution_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

namespace {

std::optional<std::string> refuse_pointwise(const Convolution& conv, const plan::Lowering& node) {
  const ConvBlock& block = conv.block;
  const WindowAxes& axes = block.axes;
  if (block.taps() != 1) return ir::cat("a filter has ", block.taps(), " elements a channel, it takes 1");
  if (axes.positions != axes.extent || axes.pad != WindowAxes::Axes{})
    return "positions of y are not those of x, by strides or pads";
  if (conv.has_epilogue()) return "a residual or limits follow, which products do not have";
  if (conv.has_bias && block.group > 1) return "each group has a bias of its own";
  // Other products are read element by element, as convolutions are.
  const auto piece = static_cast<std::int64_t>(16 / ir::info(node.in_type(0).dtype).bytes);
  if (block.channels % piece != 0 || axes.count() % piece != 0)
    return ir::cat(block.channels, " channels of ", axes.count(), " positions are no multiples of ", piece);
  return std::nullopt;
}

void emit_pointwise(const Convolution& conv, plan::Lowering& node) {
  const ConvBlock& block = conv.block;
  gemm::Gemm product;
  product.m = block.filters;
  product.n = block.axes.count();
  product.k = block.channels;
  product.batch = {block.batch, block.group};
  product.a_strides = {0, product.m * product.k};
  product.b_strides = {block.group * product.k * product.n, product.k * product.n};
  product.sums_in_f16 = conv.sums_in_f16;
  product.has_c = conv.has_bias;
  product.c_strides = {1, 0};
  const ir::DType dtype = node.in_type(0).dtype;
  gemm::lower_gemm(product, {node.in(1), node.in(0), node.in(conv.has_bias ? 2 : 0), node.out(0), dtype, dtype}, node);
}

}  // namespace

plan::Attempt attempt_pointwise(const Convolution& conv, plan::Lowering& node) {
  if (const auto why = refuse_pointwise(conv, node)) return plan::Refusal{*why};
  return plan::Emission{[&] { emit_pointwise(conv, node); }};
}

}  // namespace plumb::gpu_vulkan::kernels::conv
