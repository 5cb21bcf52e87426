// Lowers the peaks of an averaged periodogram to the means of its bins and the selection of the largest.
#include "ir/ops/welch_peaks.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/elementwise/convert.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/sort/selection.hpp"

namespace plumb::gpu_vulkan {
namespace {

void average(const ir::ops::WelchPeaks& op, plan::Slot means, plan::Lowering& node) {
  const auto& [dtype, power] = node.in_type(0);
  const std::int64_t bins = power.back(), segments = power[power.size() - 2], elements = power.elements() / segments;
  struct Block {
    std::array<std::uint32_t, 2> by_bins;
    std::uint32_t elements, segments, bins, fft_length;
  };
  constexpr std::uint32_t threads = 128;
  const kernels::common::Divisor by_bins(bins);
  kernels::common::publish({.of = ir::SumName::mean, .levels = kernels::common::in_chunks()}, dtype, node);
  node.dispatch({
      .shader = {ir::cat("welch_peaks.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {means},
      .push = Block{.by_bins = {by_bins.multiplier, by_bins.shift},
                    .elements = plan::word(elements),
                    .segments = plan::word(segments),
                    .bins = plan::word(bins),
                    .fft_length = plan::word(op.fft_length)},
      .groups = plan::groups_for(elements, threads),
  });
}

}  // namespace

void lower(const ir::ops::WelchPeaks& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, power] = node.in_type(0);
  const ir::DType computed = dtype == ir::DType::f64 ? ir::DType::f64 : ir::DType::f32;
  const std::size_t width = ir::info(computed).bytes;
  const std::int64_t bins = power.back(), rows = node.out_type(1).shape.elements() / op.k;
  const plan::Slot means = node.scratch(static_cast<std::size_t>(rows * bins) * width);
  const plan::Slot peaks =
      computed == dtype ? node.out(1) : node.scratch(static_cast<std::size_t>(rows * op.k) * width);
  average(op, means, node);
  const kernels::sort::SortedLines sorted{.x = means,
                                          .width = width,
                                          .encoding = kernels::common::encoding_of(computed),
                                          .lines = {rows, bins, 1},
                                          .k = op.k,
                                          .descending = true};
  const kernels::sort::SortResults results{peaks, node.out(0), kernels::indexing::index_words(op.index_dtype)};
  node.choose({
      {"selected", device::KernelFamily::selected,
       [&] { return kernels::sort::attempt_selection(sorted, results, false, node); }},
      {"sorted", device::KernelFamily::sorted,
       [&] { return plan::Emission{[&] { kernels::sort::sort_lines(sorted, results, false, node); }}; }},
  });
  if (computed != dtype)
    kernels::elementwise::convert(computed, peaks, dtype, node.out(1), node.out_type(1).shape.elements(), node);
}

}  // namespace plumb::gpu_vulkan
