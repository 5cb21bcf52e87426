// Lowers the log-mel spectrogram to a matrix product, the maxima of what it makes, and their logarithms.
#include "ir/ops/log_mel.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::LogMel;

/// Elements that share a maximum are cut into stretches, one for each workgroup.
struct Stretches {
  std::int64_t scope, stretch, in_scope, count;
  std::uint32_t threads;

  Stretches(std::int64_t scope_size, std::int64_t elements) : scope(scope_size) {
    constexpr std::int64_t longest = 4096;
    stretch = std::min(scope, longest), in_scope = (scope + stretch - 1) / stretch;
    count = elements / scope * in_scope;
    const auto whole = std::bit_ceil(static_cast<std::uint64_t>(stretch));
    threads = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, 32, 256));
  }
};

/// Bands of all frames, in the type that is computed in.
void multiply_by_filters(plan::Slot mel, ir::DType computed, plan::Lowering& node) {
  const ir::Shape &shape = node.out_type(0).shape, &filters = node.in_type(1).shape;
  kernels::gemm::Gemm product;
  product.m = shape.elements() / filters[0], product.n = filters[0], product.k = filters[1];
  product.transpose_b = true;
  kernels::gemm::lower_gemm(product, {node.in(0), node.in(1), node.in(0), mel, node.in_type(0).dtype, computed}, node);
}

void find_peaks(plan::Slot mel, plan::Slot peaks, const Stretches& cut, ir::DType computed, plan::Lowering& node) {
  struct Block {
    std::uint32_t stretches, in_scope, scope, stretch;
  };
  node.dispatch({
      .shader = {ir::cat("log_mel_peak.", computed), {{"invocations", cut.threads}}},
      .reads = {mel},
      .writes = {peaks},
      .push = Block{.stretches = plan::word(cut.count),
                    .in_scope = plan::word(cut.in_scope),
                    .scope = plan::word(cut.scope),
                    .stretch = plan::word(cut.stretch)},
      .groups = plan::groups_for(cut.count),
  });
}

void take_logarithms(const LogMel& op, plan::Slot mel, plan::Slot peaks, const Stretches& cut, ir::DType computed,
                     plan::Lowering& node) {
  struct Block {
    std::array<std::uint32_t, 2> least, range;
    std::uint32_t stretches, in_scope, scope, stretch;
  };
  node.dispatch({
      .shader = {ir::cat("log_mel.", node.in_type(0).dtype), {{"invocations", cut.threads}}},
      .reads = {mel, peaks},
      .writes = {node.out(0)},
      .push = Block{.least = kernels::common::words_of(op.floor, computed),
                    .range = kernels::common::words_of(op.range, computed),
                    .stretches = plan::word(cut.count),
                    .in_scope = plan::word(cut.in_scope),
                    .scope = plan::word(cut.scope),
                    .stretch = plan::word(cut.stretch)},
      .groups = plan::groups_for(cut.count),
  });
}

}  // namespace

void lower(const LogMel& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::Shape& shape = node.out_type(0).shape;
  const ir::DType computed = node.in_type(0).dtype == ir::DType::f64 ? ir::DType::f64 : ir::DType::f32;
  const std::size_t width = ir::info(computed).bytes;
  const Stretches cut(op.scope(shape), shape.elements());
  const plan::Slot mel = node.scratch(static_cast<std::size_t>(shape.elements()) * width);
  const plan::Slot peaks = node.scratch(static_cast<std::size_t>(cut.count) * width);
  multiply_by_filters(mel, computed, node);
  find_peaks(mel, peaks, cut, computed, node);
  take_logarithms(op, mel, peaks, cut, computed, node);
}

}  // namespace plumb::gpu_vulkan
