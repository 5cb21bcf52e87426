// Rows of packed weights that are decoded some at a time, as factors of products.
#pragma once

#include <algorithm>

#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/packed/rows.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::packed {

/// Weights that are decoded at once, by each thread.
inline constexpr std::int64_t weights_at_once = std::int64_t{1} << 18;

/// Rounds weights once more.
template <class T>
void round_weights(ir::kernels::packed::WeightDtype to, std::span<T> weights) {
  if (to == ir::kernels::packed::WeightDtype::f16)
    for (T& w : weights) w = static_cast<T>(ir::f16(w));
  if (to == ir::kernels::packed::WeightDtype::bf16)
    for (T& w : weights) w = static_cast<T>(ir::bf16(w));
}

/// Calls use(first, height, weights) for some of `count` rows of so many numbers at a time, from row `begin` on, in
/// parallel: `first` counts from there, and read(row, numbers) has made all of `weights`.
template <class T, class Read, class Use>
void for_each_rows(std::int64_t length, std::int64_t begin, std::int64_t count, const Read& read, const Use& use) {
  const std::int64_t grain = std::clamp<std::int64_t>(weights_at_once / (length + 1), 1, 64);
  parallel_for(count, grain, [&](std::int64_t first, std::int64_t end) {
    ScratchRoom<T> weights(static_cast<std::size_t>((end - first) * length));
    for (std::int64_t row = first; row < end; ++row) read(begin + row, weights.data() + (row - first) * length);
    use(first, end - first, std::span<T>(weights));
  });
}

/// Calls use(first, panel) for panels of `count` rows of weights from row `begin` on, in parallel: `first` counts from
/// there, and the panel has a row of C for each of them.
template <class C, class Use>
void for_each_panel(const Rows& rows, ir::kernels::packed::WeightDtype dtype, std::int64_t begin, std::int64_t count,
                    const Use& use) {
  const std::int64_t length = rows.length();
  const auto read = [&](std::int64_t row, float* weights) { rows.read_weights(row, weights); };
  for_each_rows<float>(length, begin, count, read,
                       [&](std::int64_t first, std::int64_t height, std::span<float> weights) {
                         round_weights(dtype, weights);
                         if constexpr (std::is_same_v<C, float>) {
                           use(first, gemm::row_major<const float>(weights.data(), height, length));
                         } else {
                           const ScratchRoom<C> wide(weights.begin(), weights.end());
                           use(first, gemm::row_major<const C>(wide.data(), height, length));
                         }
                       });
}

}  // namespace plumb::ref_cpu::packed
