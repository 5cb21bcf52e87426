// Demands of single ops on their operands' shapes beyond the text of their headers: the axes that attributes name,
// extents that must divide others, numbers of spatial axes.
#include <algorithm>
#include <numeric>

#include "ir/ops/affine_grid.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/axial_rope_2d.hpp"
#include "ir/ops/col2im.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_integer.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dequant_matmul.hpp"
#include "ir/ops/frame.hpp"
#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/im2col.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/mamba2.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/max_unpool.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/qconv.hpp"
#include "ir/ops/quantize_blocks.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/sample.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/selective_scan.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/top_k.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/umap_knn.hpp"
#include "ir/ops/welch_peaks.hpp"
#include "parity/check/adapt_scales.hpp"
#include "parity/check/rebuild.hpp"
#include "parity/check/sketch.hpp"

namespace plumb::parity::check {
namespace {

Length exactly(std::size_t count) { return {count, count}; }

/// Only ops that would refuse other values anyway have a number below 1 here.
/// Numbers beyond any tensor that is drawn are as good as the largest.
std::int64_t at_least_1(std::int64_t number) { return std::clamp<std::int64_t>(number, 1, std::int64_t{1} << 40); }

void adapt_products(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Matmul>()) {
    const auto& product = op.as<ir::ops::Matmul>();
    if (product.transpose_a) sketch.reshape("a", "[.., K, M]");
    if (product.transpose_b) sketch.reshape("b", "[.., N, K]");
  } else if (op.is<ir::ops::Gemm>()) {
    const auto& product = op.as<ir::ops::Gemm>();
    if (product.transpose_a) sketch.reshape("a", "[K, M]");
    if (product.transpose_b) sketch.reshape("b", "[N, K]");
  } else if (op.is<ir::ops::GroupedMatmul>()) {
    if (op.as<ir::ops::GroupedMatmul>().transpose_w) sketch.reshape("w", "[E, N, K]");
  } else if (op.is<ir::ops::Attention>()) {
    sketch.divides["Hk"] = "Hq";
    if (op.as<ir::ops::Attention>().layout != ir::ops::AttentionLayout::bshd) return;
    sketch.reshape("q", "[B, Sq, Hq, D]");
    sketch.reshape("k", "[B, Sk, Hk, D]");
    sketch.reshape("v", "[B, Sk, Hk, Dv]");
  }
}

/// Lists of spatial axes that belong together have as many extents as attributes, and those of one operand, say.
void adapt_spatial(Sketch& sketch, std::initializer_list<const char*> lists, std::size_t axes) {
  for (const char* const list : lists) sketch.lengths[list] = axes != 0 ? exactly(axes) : Length{1, 3};
}

void adapt_convolutions(const ir::Op& op, Sketch& sketch) {
  const auto windows = [&](const auto& conv, const char* group, const char* other) {
    const std::int64_t groups = at_least_1(conv.group);
    sketch.fixed["g"] = groups;
    sketch.multiples[group] = groups;
    if (*other != 0) sketch.multiples[other] = groups;
    adapt_spatial(sketch, {"D..", "k.."}, std::max({conv.strides.size(), conv.dilations.size(), conv.pads.size() / 2}));
  };
  if (op.is<ir::ops::Conv>()) windows(op.as<ir::ops::Conv>(), "C", "M");
  if (op.is<ir::ops::ConvInteger>()) windows(op.as<ir::ops::ConvInteger>(), "C", "M");
  if (op.is<ir::ops::Qconv>()) windows(op.as<ir::ops::Qconv>(), "C", "M");
  if (op.is<ir::ops::ConvTranspose>()) {
    windows(op.as<ir::ops::ConvTranspose>(), "C", "M");
    const std::size_t axes = op.as<ir::ops::ConvTranspose>().output_padding.size();
    if (axes != 0) adapt_spatial(sketch, {"D..", "k.."}, axes);
  }
}

/// The positions that a window has in an image, where it has any.
std::int64_t positions(const ir::ops::Col2im& op) {
  std::int64_t count = 1;
  const std::size_t rank = op.kernel_shape.size();
  for (std::size_t i = 0; i < rank && i < op.image_shape.size(); ++i) {
    const std::int64_t stride = i < op.strides.size() ? at_least_1(op.strides[i]) : 1;
    const std::int64_t dilation = i < op.dilations.size() ? op.dilations[i] : 1;
    const std::int64_t pads = op.pads.size() == 2 * rank ? std::clamp<std::int64_t>(op.pads[i], 0, 1 << 30) +
                                                               std::clamp<std::int64_t>(op.pads[rank + i], 0, 1 << 30)
                                                         : 0;
    const double room = static_cast<double>(op.image_shape[i]) + static_cast<double>(pads) -
                        static_cast<double>(dilation) * (static_cast<double>(op.kernel_shape[i]) - 1) - 1;
    if (!(room < 0x1p31)) return std::int64_t{1} << 40;
    count *= room < 0 ? 0 : static_cast<std::int64_t>(room) / stride + 1;
    if (count > std::int64_t{1} << 31) return std::int64_t{1} << 40;
  }
  return count;
}

void adapt_images(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Pool>()) adapt_spatial(sketch, {"D.."}, op.as<ir::ops::Pool>().kernel_shape.size());
  if (op.is<ir::ops::Im2col>()) adapt_spatial(sketch, {"image.."}, op.as<ir::ops::Im2col>().kernel_shape.size());
  if (op.is<ir::ops::MaxUnpool>()) adapt_spatial(sketch, {"O.."}, op.as<ir::ops::MaxUnpool>().inferred_shape.size());
  if (op.is<ir::ops::GridSample>()) {
    adapt_spatial(sketch, {"D..", "O.."}, 0);
    sketch.least["r"] = 1;
  }
  if (op.is<ir::ops::AffineGrid>())
    sketch.fixed["r"] = static_cast<std::int64_t>(op.as<ir::ops::AffineGrid>().output_shape.size());
  if (op.is<ir::ops::Col2im>()) {
    const auto& columns = op.as<ir::ops::Col2im>();
    sketch.reshape("x", "[N, P, Q]");
    std::int64_t taps = 1;
    for (const std::int64_t extent : columns.kernel_shape)
      taps = std::min(taps * std::clamp<std::int64_t>(extent, 1, 1 << 10), std::int64_t{1} << 40);
    sketch.multiples["P"] = taps;
    sketch.fixed["Q"] = positions(columns);
  }
  if (op.is<ir::ops::DepthToSpace>()) {
    const std::int64_t block = std::clamp<std::int64_t>(op.as<ir::ops::DepthToSpace>().block, 1, 1 << 10);
    sketch.multiples["C"] = block * block;
  }
  if (op.is<ir::ops::SpaceToDepth>())
    sketch.multiples["H"] = sketch.multiples["W"] =
        std::clamp<std::int64_t>(op.as<ir::ops::SpaceToDepth>().block, 1, 1 << 10);
}

ir::Fill between(double low, double high) {
  return {.distribution = ir::Distribution::uniform, .low = low, .high = high};
}

/// Recurrences and scans. With factors above 1 the states of long scans would leave the range of their dtype, and every
/// element would be an infinity or a NaN that proves nothing.
void adapt_recurrences(const ir::Op& op, Sketch& sketch) {
  const auto directions = [&](const auto& network) {
    sketch.fixed["D"] = ir::enum_name(network.direction) == "bidirectional" ? 2 : 1;
    sketch.least["H"] = 1;
    sketch.steps = "T";
  };
  if (op.is<ir::ops::Rnn>()) directions(op.as<ir::ops::Rnn>());
  if (op.is<ir::ops::Gru>()) directions(op.as<ir::ops::Gru>());
  if (op.is<ir::ops::Lstm>()) directions(op.as<ir::ops::Lstm>());
  if (op.is<ir::ops::GatedDeltaNet>()) {
    sketch.divides["H"] = "Hq";
    sketch.fills["decay"] = between(-1, 0);
    sketch.fills["k"] = {.distribution = ir::Distribution::normal, .scale = 0.25};
    sketch.fills["beta"] = between(0, 1);
  }
  if (op.is<ir::ops::Mamba2>()) {
    sketch.divides["G"] = "H";
    sketch.fills["a"] = between(-1, 0);
    sketch.fills["dt"] = between(0, 1);
  }
  if (op.is<ir::ops::SelectiveScan>()) {
    sketch.fills["a"] = between(-1, 0);
    sketch.fills["delta"] = between(0, 1);
  }
}

void adapt_indexing(const ir::Op& op, Sketch& sketch, Random& random) {
  const auto tuples = [&](std::size_t batch) {
    const std::size_t axes = 1 + random() % 2;
    sketch.lengths["b.."] = exactly(batch);
    sketch.lengths["m axes.."] = exactly(axes);
    sketch.fixed["m"] = static_cast<std::int64_t>(axes);
    sketch.lengths["i.."] = {0, 2};
    sketch.lengths["j.."] = {0, 2};
  };
  if (op.is<ir::ops::GatherNd>())
    tuples(static_cast<std::size_t>(std::clamp<std::int64_t>(op.as<ir::ops::GatherNd>().batch_dims, 0, ir::max_rank)));
  if (op.is<ir::ops::ScatterNd>()) tuples(0);
}

/// Packed operands, of rows with K elements: codes of any bits, scales that leave results in their range.
void adapt_packed(const ir::kernels::packed::Packing& packing, std::string_view rows, Sketch& sketch) {
  const ir::kernels::packed::Layout block = ir::kernels::packed::layout(packing.format);
  const bool has_exponents = block.scales == ir::kernels::packed::Scales::exponents;
  sketch.reshape("codes", ir::cat("[", rows, ", ", block.bytes, "K/", block.elements, "]"));
  sketch.operand("codes").dtypes = packing.format == ir::kernels::packed::Format::int8 ? ir::DType::i8 : ir::DType::u8;
  sketch.fills["codes"] = {.distribution = ir::Distribution::packed,
                           .format = std::string(ir::enum_name(packing.format))};
  const std::int64_t shared = has_exponents ? 32 : at_least_1(packing.block_size);
  sketch.multiples["K"] = std::lcm(block.elements, shared);
  sketch.least["K"] = 1;
  if (!packing.has_scales) return;
  const bool is_row = !has_exponents && packing.block_size <= 0;
  sketch.reshape("scales", ir::cat("[", rows, ", ", is_row ? "1" : ir::cat("K/", shared), "]"));
  sketch.operand("scales").dtypes = has_exponents ? ir::DTypes(ir::DType::u8) : ir::dtypes::R;
  if (has_exponents) sketch.fills["scales"] = {.distribution = ir::Distribution::uniform_int, .low = 117, .high = 138};
}

/// Products with packed weights: x is floats, as the bias is, or codes with scales.
template <class Product>
void adapt_packed_product(const Product& op, std::string_view rows_of_x, std::string_view rows, Sketch& sketch) {
  adapt_packed(op.packing(), rows, sketch);
  sketch.operand("x").dtypes = op.has_x_scales ? ir::DTypes(ir::DType::i8) : ir::dtypes::R;
  if (op.has_bias && !op.has_x_scales) sketch.operand("bias").like = "x";
  if (!op.has_x_scales) return;
  const ir::DType out = op.dtype.value_or(ir::DType::f32);
  if (op.has_bias) sketch.operand("bias").dtypes = out;
  sketch.operand("x_scales").dtypes = out == ir::DType::f64 ? out : ir::DType::f32;
  sketch.reshape("x_scales", ir::cat("[", rows_of_x, ", K/", ir::kernels::packed::x_scale_block, "]"));
  sketch.multiples["K"] = std::lcm(sketch.multiples["K"], ir::kernels::packed::x_scale_block);
  sketch.fills["x"] = {.distribution = ir::Distribution::uniform_int, .low = -128, .high = 128};
}

void adapt_lines(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Pad>()) sketch.lengths[".."] = exactly(op.as<ir::ops::Pad>().pads.size() / 2);
  if (op.is<ir::ops::Tile>()) sketch.lengths[".."] = exactly(op.as<ir::ops::Tile>().repeats.size());
  if (op.is<ir::ops::Transpose>()) sketch.lengths[".."] = exactly(op.as<ir::ops::Transpose>().permutation.size());
  if (op.is<ir::ops::TopK>()) sketch.least["n"] = op.as<ir::ops::TopK>().k;
  if (op.is<ir::ops::UmapKnn>()) sketch.least["n"] = at_least_1(op.as<ir::ops::UmapKnn>().k + 1);
  if (op.is<ir::ops::Frame>()) sketch.least["L"] = op.as<ir::ops::Frame>().size;
  if (op.is<ir::ops::GroupNorm>()) sketch.multiples["C"] = at_least_1(op.as<ir::ops::GroupNorm>().num_groups);
  if (op.is<ir::ops::WelchPeaks>()) sketch.fixed["b"] = op.as<ir::ops::WelchPeaks>().fft_length / 2 + 1;
  if (op.is<ir::ops::Irfft>()) {
    const auto n = op.as<ir::ops::Irfft>().n;
    if (n) sketch.fixed["m"] = *n / 2 + 1;
    sketch.least["m"] = 2;
  }
  if (!op.is<ir::ops::Rope>()) return;
  const auto& rope = op.as<ir::ops::Rope>();
  sketch.reshape("x", rope.layout == ir::ops::RopeLayout::bhsd ? "[B, H, S, D]" : "[B, S, H, D]");
  // A table of rows for each position needs them all; one for each token needs neither positions nor an offset.
  const bool has_table = rope.has_positions || rope.offset != 0;
  const std::string n = rope.rotary_dim > 0 ? std::to_string(rope.rotary_dim / 2) : "D/2";
  const std::string rows = std::to_string(std::max<std::int64_t>(rope.offset, 0)) + "+S";
  sketch.reshape("cos", "[" + rows + ", " + n + "]" + (has_table ? "" : " or [B, S, " + n + "]"));
  sketch.multiples["D"] = 2;
  sketch.least["D"] = rope.rotary_dim;
}

/// Experts in groups, of which those that are kept have enough, and rows of at least one token.
void adapt_choices(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Sample>()) sketch.least["V"] = 1;
  if (!op.is<ir::ops::GroupLimitedGate>()) return;
  const auto& gate = op.as<ir::ops::GroupLimitedGate>();
  const std::int64_t groups = at_least_1(gate.num_groups), kept = at_least_1(gate.top_groups);
  const std::int64_t least = gate.group_score == ir::ops::GroupScore::top2_sum ? 2 : 1;
  sketch.multiples["E"] = groups;
  sketch.least["E"] = groups * std::max((at_least_1(gate.top_k) + kept - 1) / kept, least);
}

/// Tokens beyond the grid are left out.
void adapt_grid(const ir::Op& op, Sketch& sketch) {
  if (!op.is<ir::ops::AxialRope2d>()) return;
  const auto& rope = op.as<ir::ops::AxialRope2d>();
  sketch.multiples["C"] = at_least_1(rope.head_dim);
  sketch.amend = [rope](std::vector<ir::Shape>& shapes, Random&) {
    ir::Shape& x = shapes.at(0);
    while (x[1] > 0 && rope.rows(x) > rope.height) x[1] = x[1] / 2;
  };
}

}  // namespace

void adapt(const ir::Op& op, Sketch& sketch, Random& random) {
  adapt_products(op, sketch);
  adapt_convolutions(op, sketch);
  adapt_images(op, sketch);
  adapt_recurrences(op, sketch);
  adapt_scales(op, sketch);
  adapt_indexing(op, sketch, random);
  adapt_lines(op, sketch);
  adapt_choices(op, sketch);
  adapt_grid(op, sketch);
  if (op.is<ir::ops::Dequantize>()) adapt_packed(op.as<ir::ops::Dequantize>().packing(), "..", sketch);
  if (op.is<ir::ops::QuantizeBlocks>()) {
    sketch.reshape("x", "[.., K]");
    sketch.multiples["K"] = ir::kernels::packed::layout(op.as<ir::ops::QuantizeBlocks>().format).elements;
  }
  if (op.is<ir::ops::DequantMatmul>()) adapt_packed_product(op.as<ir::ops::DequantMatmul>(), "..", "N", sketch);
  if (op.is<ir::ops::DequantGroupedMatmul>())
    adapt_packed_product(op.as<ir::ops::DequantGroupedMatmul>(), "M", "E, N", sketch);
  rebuild(op, sketch);
}

}  // namespace plumb::parity::check
