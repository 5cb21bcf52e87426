// Lowers convolution of lines to direct sums: tiles of long lines in shared memory, short lines sample by sample.
#include "ir/ops/convolve.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// Lines of so few samples would leave most of a tile empty.
constexpr std::int64_t most_of_short_lines = 128;

void convolve_short_lines(std::int64_t samples, plan::Lowering& node) {
  const auto& [dtype, shape] = node.out_type(0);
  constexpr std::uint32_t threads = 128;
  struct Block {
    std::array<std::uint32_t, 2> by_samples;
    std::uint32_t elements, samples, length, taps;
  };
  const kernels::common::Divisor by_samples(samples);
  node.dispatch({
      .shader = {ir::cat("convolve_short.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0)},
      .push = Block{.by_samples = {by_samples.multiplier, by_samples.shift},
                    .elements = plan::word(shape.elements()),
                    .samples = plan::word(samples),
                    .length = plan::word(node.in_type(0).shape.back()),
                    .taps = plan::word(node.in_type(1).shape[0])},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

void convolve_tiles(std::int64_t samples, plan::Lowering& node) {
  const auto& [dtype, shape] = node.out_type(0);
  constexpr std::int64_t each = 8, most_threads = 128;
  const auto threads = std::min<std::int64_t>(
      most_threads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((samples + each - 1) / each))));
  const std::int64_t lines = shape.elements() / samples, tiles = (samples + each * threads - 1) / (each * threads);
  struct Block {
    std::uint32_t lines, tiles, length, taps;
  };
  node.dispatch({
      .shader = {ir::cat("convolve.", dtype), {{"invocations", plan::word(threads)}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0)},
      .push = Block{.lines = plan::word(lines),
                    .tiles = plan::word(tiles),
                    .length = plan::word(node.in_type(0).shape.back()),
                    .taps = plan::word(node.in_type(1).shape[0])},
      .groups = plan::groups_for(lines * tiles),
  });
}

}  // namespace

void lower(const ir::ops::Convolve&, plan::Lowering& node) {
  node.needs_its_types();
  const std::int64_t samples = node.out_type(0).shape.back();
  kernels::common::publish({.unit = ir::SumUnit::either, .levels = kernels::common::in_chunks()}, node.in_type(0).dtype,
                           node);
  if (samples <= most_of_short_lines) return convolve_short_lines(samples, node);
  convolve_tiles(samples, node);
}

}  // namespace plumb::gpu_vulkan
