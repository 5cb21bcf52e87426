// Chooses a convolution's kernel, and emits the two that serve every device: depthwise and implicit GEMM.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "gpu_vulkan/kernels/conv/convolution_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::conv {
namespace {

ConvBlock block_of(const ir::ops::Conv& op, const plan::Lowering& node) {
  const auto &x = node.in_type(0).shape, &w = node.in_type(1).shape;
  return {plan::word(x[0]), plan::word(op.group), plan::word(w[1]), plan::word(w[0] / op.group),
          window_axes(op.axes(x, w), node.out_type(0).shape, node)};
}

using common::ElementTile;

/// Tiles of filters x positions that cover all images.
std::int64_t count_tiles(const ConvBlock& block, const ElementTile& t) {
  return block.images() * common::pieces(block.filters, t.rows) * common::pieces(block.axes.count(), t.columns);
}

ElementTile tile_for(const ConvBlock& block, const device::DeviceFacts& facts, std::size_t element) {
  constexpr ElementTile large = {.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}};
  constexpr ElementTile medium = {.rows = 32, .columns = 32, .depth = 16, .elements = {4, 4}};
  constexpr ElementTile small = {.rows = 8, .columns = 8, .depth = 16, .elements = {1, 1}};
  const auto fits = [&](const ElementTile& t) {
    return t.invocations() <= facts.max_invocations && t.shared_bytes(element) <= facts.shared_memory;
  };
  if (block.filters <= small.rows || block.axes.count() <= small.columns || !fits(medium)) return small;
  return fits(large) && block.filters > medium.rows && count_tiles(block, large) >= plan::enough_tiles ? large : medium;
}

/// The constants of glsl/epilogue.glsl.
plan::Constants constants_of(const Epilogue& epilogue) {
  const auto bits = [](const std::optional<double>& x) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(x.value_or(0)));
  };
  return {{"has_residual", epilogue.residual.has_value()},
          {"has_low", epilogue.low.has_value()},
          {"has_high", epilogue.high.has_value()},
          {"low_bits", bits(epilogue.low)},
          {"high_bits", bits(epilogue.high)}};
}

}  // namespace

ir::Sum with_epilogue(const Convolution& conv, ir::Sum sum) {
  if (conv.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  if (conv.epilogue.residual) sum.epilogue.push_back(ir::SumStep::residual);
  if (conv.epilogue.low || conv.epilogue.high) sum.epilogue.push_back(ir::SumStep::activation);
  return sum;
}

void dispatch(const Convolution& conv, plan::Lowering& node, plan::Shader shader, plan::Groups groups) {
  dispatch(conv, node, std::move(shader), groups, node.in(1), conv.block);
}

void dispatch(const Convolution& conv, plan::Lowering& node, plan::Shader shader, plan::Groups groups,
              plan::Slot filters, const plan::Push& push) {
  shader.constants = shader.constants.then(constants_of(conv.epilogue));
  node.dispatch({
      .shader = std::move(shader),
      .reads = {node.in(0), filters, node.in(conv.has_bias ? 2 : 0), conv.epilogue.residual.value_or(node.in(0))},
      .writes = {node.out(0)},
      .push = push,
      .groups = groups,
  });
}

namespace {

/// Every sum of these is in chunks.
ir::Sum chunked_sum(const Convolution& conv) {
  return with_epilogue(conv, {.unit = ir::SumUnit::either, .levels = common::in_chunks()});
}

plan::Attempt attempt_depthwise(const Convolution& conv, plan::Lowering& node) {
  constexpr std::uint32_t few = 4;
  const ConvBlock& block = conv.block;
  if (block.channels != 1) return plan::Refusal{ir::cat("a filter sees ", block.channels, " channels, it takes 1")};
  if (block.filters > few)
    return plan::Refusal{ir::cat("a channel has ", block.filters, " filters, it takes up to ", few)};
  return plan::Emission{[&] {
    constexpr std::uint32_t threads = 64;  // one invocation per element of y
    const ir::DType dtype = node.in_type(0).dtype;
    common::publish(chunked_sum(conv), dtype, node);
    dispatch(conv, node, {ir::cat("conv_depthwise.", dtype), {{"invocations", threads}, {"has_bias", conv.has_bias}}},
             plan::groups_for(node.out_type(0).shape.elements(), threads));
  }};
}

void emit_implicit_gemm(const Convolution& conv, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const ElementTile t = tile_for(conv.block, node.facts(), std::max<std::size_t>(4, ir::info(dtype).bytes));
  node.uses_tile(common::tile_name(t.rows, t.columns, t.depth));
  common::publish(chunked_sum(conv), dtype, node);
  dispatch(conv, node, {ir::cat("conv.", dtype), t.constants().then({{"has_bias", conv.has_bias}})},
           plan::groups_for(count_tiles(conv.block, t)));
}

}  // namespace

void lower_conv(const ir::ops::Conv& op, const Epilogue& epilogue, plan::Lowering& node) {
  using device::KernelFamily;
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs(dtype != ir::DType::f64 || !(epilogue.low || epilogue.high), "limits are of 32 bits here");
  const Convolution conv{block_of(op, node), op.has_bias, epilogue, op.accumulator == ir::DType::f16};
  std::vector<plan::Candidate> candidates = {
      {"depthwise", KernelFamily::depthwise, [&] { return attempt_depthwise(conv, node); }}};
  if (conv.sums_in_f16)
    candidates.push_back(
        {"coopmat_f16acc16", KernelFamily::coopmat, [&] { return attempt_summed_in_f16(conv, node); }});
  const std::array<plan::Candidate, 5> others = {{
      {"patch", KernelFamily::coopmat_patch, [&] { return attempt_halo(conv, node); }},
      {std::string(gemm::cooperative_name(dtype)), KernelFamily::coopmat,
       [&] { return attempt_cooperative(conv, node); }},
      {"tiled_wide", KernelFamily::tiled_wide, [&] { return attempt_wide(conv, node); }},
      {"product", KernelFamily::pointwise, [&] { return attempt_pointwise(conv, node); }},
      {"implicit_gemm", KernelFamily::implicit_gemm,
       [&] { return plan::Emission{[&] { emit_implicit_gemm(conv, node); }}; }},
  }};
  candidates.insert(candidates.end(), others.begin(), others.end());
  node.choose(candidates);
}

}  // namespace plumb::gpu_vulkan::kernels::conv
