#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Orders of a sum's terms that have a number in them (ir::Sum::order).
namespace plumb::ir::kernels {

/// "taps_first:32", of a convolution that takes blocks of so many channels: of a block one tap after the other, and of
/// a tap the channels of the block. Zeros stand for the channels that the last block lacks.
std::string taps_first(std::int64_t channels);

/// The channels of a block of such an order; nothing of another order.
std::optional<std::int64_t> channels_of_taps_first(std::string_view order);

/// Neighbouring terms that a lane takes at once, in so many runs, which begin 32 apart.
struct Runs {
  static constexpr std::int64_t apart = 32;
  std::int64_t neighbours = 1, runs = 1;
};

/// "runs_of:16x4", of lanes that take 4 runs of 16 neighbours at once, which begin 32 terms apart: two lanes share 128.
std::string runs_of(std::int64_t neighbours, std::int64_t runs);

/// The runs of such an order; nothing of another order.
std::optional<Runs> runs_of_order(std::string_view order);

}  // namespace plumb::ir::kernels
