// Lowers resizing: taps and weights of each resampled axis are made on the host and uploaded as a table.
#include "ir/ops/resize.hpp"

#include <bit>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "ir/convert.hpp"
#include "ir/kernels/resize_taps.hpp"

namespace plumb::gpu_vulkan {
namespace {

constexpr std::uint32_t resize_threads = 64, unchanged = 0xFFFFFFFFu;

std::uint32_t u32(std::int64_t n) { return static_cast<std::uint32_t>(n); }

/// glsl/resampled.glsl
struct Dimensions {
  std::array<std::uint32_t, 8> out, in, taps_at;
};

/// The dimensions of a resize and its table of taps; neighbouring axes that stay as they are become one dimension.
struct Resampling {
  Dimensions dimensions{};
  std::uint32_t count = 0, resampled = 0;
  std::vector<std::uint32_t> table;

  /// The next dimension, from the last one on.
  void add(std::int64_t out, std::int64_t in, std::uint32_t taps_at) {
    if (taps_at == unchanged && count > 0 && dimensions.taps_at[8 - count] == unchanged) {
      dimensions.out[8 - count] *= u32(out);
      dimensions.in[8 - count] *= u32(in);
      return;
    }
    ++count;
    resampled += taps_at != unchanged;
    dimensions.out[8 - count] = u32(out);
    dimensions.in[8 - count] = u32(in);
    dimensions.taps_at[8 - count] = taps_at;
  }
};

/// The element that each output is.
void write_elements(const ir::kernels::ResizeTaps& taps, std::vector<std::uint32_t>& table) {
  for (std::int64_t i = 0; i < taps.outputs(); ++i)
    table.push_back(taps.is_outside(i)
                        ? unchanged
                        : u32(taps.index[static_cast<std::size_t>(taps.first[static_cast<std::size_t>(i)])]));
}

/// As resize.comp reads them.
void write_taps(const ir::kernels::ResizeTaps& taps, ir::DType dtype, std::vector<std::uint32_t>& table) {
  std::ranges::transform(taps.first, std::back_inserter(table), u32);
  std::ranges::transform(taps.index, std::back_inserter(table), u32);
  for (const double weight : taps.weight) {
    if (dtype == ir::DType::f64) {
      const auto words = std::bit_cast<std::array<std::uint32_t, 2>>(weight);
      table.insert(table.end(), words.begin(), words.end());
    } else {
      table.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(weight)));
    }
  }
}

Resampling resampling(const ir::ops::Resize& op, const plan::Lowering& node) {
  const auto& [dtype, x] = node.in_type(0);
  const ir::Shape& y = node.out_type(0).shape;
  Resampling made;
  for (std::size_t axis = x.size(); axis-- > 0;) {
    std::uint32_t taps_at = unchanged;
    for (std::size_t k = 0; k < op.axes.size(); ++k) {
      if (x.axis(op.axes[k]) != axis) continue;
      const auto taps = ir::kernels::resize_taps(op, k, dtype, x[axis]);
      if (taps.is_identity(x[axis])) continue;
      node.needs(taps.index.size() < std::size_t{1} << 28, "axis ", axis, " has ", taps.index.size(), " taps");
      taps_at = static_cast<std::uint32_t>(made.table.size());
      if (op.mode == ir::ops::ResizeMode::nearest)
        write_elements(taps, made.table);
      else
        write_taps(taps, dtype, made.table);
    }
    made.add(y[axis], x[axis], taps_at);
  }
  return made;
}

/// The bits of the value outside, in as many words as the widest element has.
std::array<std::uint32_t, 4> outside_value(double value, ir::DType dtype) {
  std::array<std::uint32_t, 4> words{};
  ir::visit_any(dtype, [&]<class T>(T) {
    const bool is_single = ir::is_float(dtype) && dtype != ir::DType::f64;
    const T converted = is_single ? ir::convert_value<T>(static_cast<float>(value)) : ir::convert_value<T>(value);
    std::memcpy(words.data(), &converted, sizeof(T));
  });
  return words;
}

void lower_nearest(const ir::ops::Resize& op, const Resampling& made, plan::Lowering& node) {
  struct Block {
    std::uint32_t elements;
    std::array<std::uint32_t, 4> value;
    Dimensions dimensions;
  };
  const auto& [dtype, shape] = node.out_type(0);
  node.dispatch({
      .shader = {kernels::copy::word_variant("resize_nearest", ir::info(dtype).bytes, node),
                 {{"invocations", resize_threads}, {"dimensions", made.count}}},
      .reads = {node.in(0), node.table(std::as_bytes(std::span(made.table)))},
      .writes = {node.out(0)},
      .push = Block{u32(shape.elements()), outside_value(op.extrapolation_value, dtype), made.dimensions},
      .groups = plan::groups_for(shape.elements(), resize_threads),
  });
}

void lower_weighted(const ir::ops::Resize& op, const Resampling& made, plan::Lowering& node) {
  node.needs_its_types();
  struct Block {
    std::uint32_t elements;
    std::array<std::uint32_t, 2> value;
    Dimensions dimensions;
  };
  const auto& [dtype, shape] = node.out_type(0);
  const auto value = outside_value(op.extrapolation_value, dtype == ir::DType::f64 ? dtype : ir::DType::f32);
  // Lines of taps along the last resampled dimension, then these lines.
  kernels::common::publish({.of = ir::SumName::taps,
                            .unit = ir::SumUnit::either,
                            .levels = {kernels::common::chain(), kernels::common::chain()}},
                           dtype, node);
  node.dispatch({
      .shader = {ir::cat("resize.", dtype),
                 {{"invocations", resize_threads}, {"dimensions", made.count}, {"resampled", made.resampled}}},
      .reads = {node.in(0), node.table(std::as_bytes(std::span(made.table)))},
      .writes = {node.out(0)},
      .push = Block{u32(shape.elements()), {value[0], value[1]}, made.dimensions},
      .groups = plan::groups_for(shape.elements(), resize_threads),
  });
}

}  // namespace

void lower(const ir::ops::Resize& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const Resampling made = resampling(op, node);
  if (made.resampled == 0) return node.alias(0, 0);
  if (op.mode == ir::ops::ResizeMode::nearest) return lower_nearest(op, made, node);
  lower_weighted(op, made, node);
}

}  // namespace plumb::gpu_vulkan
