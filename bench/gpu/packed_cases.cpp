// Products with packed weights: bytes are those of the weights that are read, which copying them is measured beside.

#include "bench/gpu/case.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dequant_matmul.hpp"
#include "ir/ops/dequantize.hpp"
#include "ir/ops/slice.hpp"

namespace plumb::bench {
namespace {

using ir::DType;
using Format = ir::ops::PackedFormat;

/// Divides what is large enough for it to be a whole number of the largest blocks.
std::int64_t shrunk(Scale scale, std::int64_t extent) { return scale == Scale::full ? extent : extent / 8 / 256 * 256; }

ir::TensorType codes_of(Format format, std::int64_t rows, std::int64_t k) {
  const auto layout = ir::kernels::packed::layout(format);
  return {DType::u8, {rows, k / layout.elements * layout.bytes}};
}

ir::Fill random_codes(Format format) {
  ir::Fill fill{.distribution = ir::Distribution::packed};
  fill.format = ir::enum_name(format);
  return fill;
}

Case product(Scale scale, Format format, std::int64_t m, std::int64_t n, std::int64_t k) {
  Case made{.name = ir::cat("packed_", ir::enum_name(format), "_", m, "x", k, "x", n)};
  ir::ops::DequantMatmul op{.format = format};
  const ir::TensorType codes = codes_of(format, shrunk(scale, n), shrunk(scale, k));
  std::vector<ir::Value> inputs = {made.graph.param("x", {DType::f32, {m, shrunk(scale, k)}}),
                                   made.graph.param("w", codes)};
  made.bytes = static_cast<double>(codes.bytes());
  if (ir::kernels::packed::has_real_scales(format)) {
    op.block_size = 32;
    op.has_scales = true;
    const ir::TensorType scales{DType::f32, ir::kernels::packed::scale_shape(op.packing(), codes.shape)};
    inputs.push_back(made.graph.param("scales", scales));
    made.bytes += static_cast<double>(scales.bytes());
  } else {
    made.fills["w"] = random_codes(format);
  }
  made.graph.returns(made.graph.add("y", op, inputs));
  return made;
}

/// One token and its experts.
Case grouped(Scale scale, Format format, std::int64_t experts, std::int64_t used, std::int64_t extent) {
  Case made{.name = ir::cat("packed_grouped_", ir::enum_name(format), "_", used, "of", experts, "x", extent)};
  const std::int64_t k = scale == Scale::full ? extent : 96;
  ir::TensorType codes = codes_of(format, experts * k, k);
  codes.shape = {experts, k, codes.shape.back()};
  const ir::Value x = made.graph.param("x", {DType::f32, {used, k}}), w = made.graph.param("w", codes);
  const ir::Value expert = made.graph.param("expert", {DType::i32, {used}});
  made.fills["w"] = random_codes(format);
  made.fills["expert"] = {.distribution = ir::Distribution::range, .start = 3, .delta = 7};
  made.graph.returns(made.graph.add("y", ir::ops::DequantGroupedMatmul{.format = format}, {x, w, expert}));
  made.bytes = static_cast<double>(codes.bytes() / static_cast<std::size_t>(experts)) * static_cast<double>(used);
  return made;
}

Case dequantized(Scale scale, Format format, DType to) {
  Case made{.name = ir::cat("packed_dequantize_", ir::enum_name(format), "_", to)};
  const ir::TensorType codes = codes_of(format, 4096, scale == Scale::full ? 16384 : 256);
  const ir::Value w = made.graph.param("w", codes);
  made.fills["w"] = random_codes(format);
  const ir::Value y = made.graph.add("y", ir::ops::Dequantize{.format = format, .dtype = to}, {w});
  made.graph.returns(y);
  made.bytes = static_cast<double>(codes.bytes() + made.graph.type(y).bytes());
  return made;
}

/// The rate at which memory is read and written.
Case copied(Scale scale) {
  const std::int64_t all = scale == Scale::full ? std::int64_t{1} << 26 : 4096;
  Case made{.name = "packed_beside_copy_256MiB"};
  const ir::Value x = made.graph.param("x", {DType::f32, {all + 1}});
  made.graph.returns(made.graph.add("y", ir::ops::Slice{{0}, {1}, {all}, {}}, {x}));
  made.bytes = 8.0 * static_cast<double>(all);
  return made;
}

}  // namespace

std::vector<Case> packed_cases(Scale scale) {
  std::vector<Case> cases = {copied(scale)};
  for (const std::int64_t m : {1, 2, 4, 8})
    for (const Format format : {Format::q4_k, Format::q6_k, Format::q8_0})
      cases.push_back(product(scale, format, m, 4096, 14336));
  for (const Format format : {Format::q4_0, Format::q5_k, Format::mxfp4, Format::q3_k, Format::q2_k, Format::iq4_xs,
                              Format::iq4_nl, Format::q4_1, Format::q5_0, Format::q5_1, Format::uint4, Format::uint8})
    cases.push_back(product(scale, format, 1, 4096, 14336));
  for (const Format format : {Format::q4_0, Format::q4_k, Format::q6_k, Format::q8_0})
    cases.push_back(product(scale, format, 1, 16384, 16384));
  cases.push_back(product(scale, Format::q4_k, 1, 4096, 4096));
  cases.push_back(product(scale, Format::q6_k, 1, 14336, 4096));
  cases.push_back(grouped(scale, Format::mxfp4, 32, 4, 2880));
  for (const DType to : {DType::f32, DType::f16})
    for (const Format format : {Format::q8_0, Format::q4_k}) cases.push_back(dequantized(scale, format, to));
  // To see that they run some do, as each has a pipeline that software takes a second to compile.
  if (scale == Scale::small) std::erase_if(cases, [n = 0](const Case&) mutable { return n++ % 6 != 0; });
  return cases;
}

}  // namespace plumb::bench
