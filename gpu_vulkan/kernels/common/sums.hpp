#pragma once

#include "gpu_vulkan/plan/lower.hpp"

// How kernels say what order their sums have (ir::Sum). Levels are named for how their items are joined.
namespace plumb::gpu_vulkan::kernels::common {

/// Items take neighbouring terms, in runs, and are added one after the other; 0: as many as there are.
constexpr ir::SumLevel chain(std::int64_t count = 0) { return {.count = count}; }

/// So many terms are added inside a matrix unit.
constexpr ir::SumLevel unit(std::int64_t count) { return {.count = count, .join = ir::SumJoin::unit}; }

/// Lanes take every count-th term and meet in pairs: lane i first meets lane i + count / 2.
constexpr ir::SumLevel lanes(std::int64_t count) {
  return {.count = count, .take = ir::SumTake::every, .join = ir::SumJoin::pair};
}

/// Lanes take every count-th term and are added one after the other.
constexpr ir::SumLevel lane_chain(std::int64_t count) { return {.count = count, .take = ir::SumTake::every}; }

/// Makes a level carry the error of each addition as a second number (glsl/sum.glsl).
constexpr ir::SumLevel compensated(ir::SumLevel level) {
  level.compensated = true;
  return level;
}

/// Chunks of 256 terms, as most shaders that add one term after the other have them.
inline std::vector<ir::SumLevel> in_chunks() { return {chain(256), chain()}; }

/// The levels but for those of one item, which change nothing.
std::vector<ir::SumLevel> without_single(std::vector<ir::SumLevel> levels);

/// Values of ir::Sum::order, beside "contract" and those of ir/kernels/sum_orders.hpp.
namespace order {
inline constexpr auto reversed = "reversed";      ///< the last term comes first
inline constexpr auto pieces = "pieces";          ///< lanes take neighbouring terms by the piece that one read fetches
inline constexpr auto shuffled = "shuffled";      ///< lanes meet their neighbours first, by subgroup shuffles
inline constexpr auto shuffled_pieces = "shuffled_pieces";  ///< both
inline constexpr auto in_parts = "in_parts";  ///< each run of terms comes once for every part that its factors have
}  // namespace order

/// The accumulator of shaders for numbers of this dtype, for complex numbers that of their parts; nothing for integers,
/// whose sums are exact or wrap around.
std::optional<ir::DType> accumulator_of(ir::DType operands);

/// Publishes a sum over operands of this dtype, in their accumulator; none of integers.
void publish(ir::Sum sum, ir::DType operands, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::common
