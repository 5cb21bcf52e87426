// Lowers the log-mel spectrogram to a matrix product, the maxima of what it makes, and their logarithms.
#include "ir/ops/log_mel.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::LogMel;

/// Elements that share a maximum are cut into stretches, one for each workgroup.
struct Stretches {
  std::int64_t scope, stretch, in_scope, count;
  std::uint32_t threads;

  Stretches(std::int64_t scope_size, std::int64_t elements) : scope(scope_size) {
    constexpr std::int64_t longest = 1024;
    stretch = std::min(scope, longest);
    in_scope = (scope + stretch - 1) / stretch;
    count = elements / scope * in_scope;
    const auto whole = std::bit_ceil(static_cast<std::uint64_t>(stretch));
    threads = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, 32, 256));
  }
};

/// Workgroups of log_mel_bands.comp: 16 by 16 invocations with so many frames and bands each.
struct Tiles {
  static constexpr std::int64_t side = 16;
  std::int64_t spectrograms, frames, bands, frames_each = 4, bands_each;

  explicit Tiles(const ir::Shape& y)
      : spectrograms(y.elements() / (y.back() * y[y.size() - 2])), frames(y[y.size() - 2]), bands(y.back()) {
    constexpr std::int64_t most_bands = 8;
    bands_each = std::min(most_bands, kernels::common::pieces(bands, side));
    while (frames_each > 1 && spectrograms * in_spectrogram() < plan::enough_tiles) frames_each /= 2;
  }
  std::int64_t of_frames() const { return kernels::common::pieces(frames, side * frames_each); }
  std::int64_t of_bands() const { return kernels::common::pieces(bands, side * bands_each); }
  std::int64_t in_spectrogram() const { return of_frames() * of_bands(); }
};

/// Bands of all frames, in the type that is computed in, and the largest of each workgroup's.
void multiply_by_filters(const Tiles& tiles, plan::Slot mel, plan::Slot peaks, plan::Lowering& node) {
  struct Block {
    std::uint32_t spectrograms, frames, bands, bins, frame_tiles, band_tiles;
  };
  constexpr std::uint32_t threads = Tiles::side * Tiles::side;
  node.needs(node.facts().max_invocations >= threads, node.facts().name, " has workgroups of fewer than ", threads,
             " invocations");
  const ir::DType dtype = node.in_type(0).dtype;
  kernels::common::publish({.unit = ir::SumUnit::either, .levels = {kernels::common::chain()}}, dtype, node);
  node.dispatch({
      .shader = {ir::cat("log_mel_bands.", dtype),
                 {{"invocations", threads},
                  {"frames_each", plan::word(tiles.frames_each)},
                  {"bands_each", plan::word(tiles.bands_each)}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {mel, peaks},
      .push = Block{.spectrograms = plan::word(tiles.spectrograms),
                    .frames = plan::word(tiles.frames),
                    .bands = plan::word(tiles.bands),
                    .bins = plan::word(node.in_type(1).shape[1]),
                    .frame_tiles = plan::word(tiles.of_frames()),
                    .band_tiles = plan::word(tiles.of_bands())},
      .groups = plan::groups_for(tiles.spectrograms * tiles.in_spectrogram()),
  });
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

/// Partial maxima of the bands: `in_scope` numbers for each maximum.
struct Peaks {
  plan::Slot slot;
  std::int64_t in_scope;
};

void take_logarithms(const LogMel& op, plan::Slot mel, const Peaks& peaks, const Stretches& cut, ir::DType computed,
                     plan::Lowering& node) {
  struct Block {
    std::array<std::uint32_t, 2> least, range;
    std::uint32_t stretches, in_scope, scope, stretch, peaks;
  };
  node.dispatch({
      .shader = {ir::cat("log_mel.", node.in_type(0).dtype), {{"invocations", cut.threads}}},
      .reads = {mel, peaks.slot},
      .writes = {node.out(0)},
      .push = Block{.least = kernels::common::words_of(op.floor, computed),
                    .range = kernels::common::words_of(op.range, computed),
                    .stretches = plan::word(cut.count),
                    .in_scope = plan::word(cut.in_scope),
                    .scope = plan::word(cut.scope),
                    .stretch = plan::word(cut.stretch),
                    .peaks = plan::word(peaks.in_scope)},
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
  const Tiles tiles(shape);
  const auto scratch = [&](std::int64_t count) { return node.scratch(static_cast<std::size_t>(count) * width); };
  const plan::Slot mel = scratch(shape.elements());
  // Workgroups that multiply have the bands of several frames.
  Peaks peaks = {scratch(tiles.spectrograms * tiles.in_spectrogram()), tiles.in_spectrogram()};
  multiply_by_filters(tiles, mel, peaks.slot, node);
  if (op.maximum == ir::ops::MelMaximum::frame) {
    peaks = {scratch(cut.count), cut.in_scope};
    find_peaks(mel, peaks.slot, cut, computed, node);
  }
  take_logarithms(op, mel, peaks, cut, computed, node);
  node.is_called("bands");
}

}  // namespace plumb::gpu_vulkan
