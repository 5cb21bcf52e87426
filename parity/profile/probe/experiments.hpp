#pragma once

#include <array>
#include <vector>

#include "parity/profile/probe/dots.hpp"

/// The sums of products that tell one arithmetic from another. Positions are those of one lane: term k of
/// a lane is number k * lanes of the dot.
namespace plumb::parity::profile::probe {

/// Powers of two that a sum cannot hold both of in any accumulator tried.
inline constexpr int big = 14, small = -12;

/// big at 0, small at 256 + d, -big at 512: small survives only in another lane than big. For d = 1, 2, 4, ... 128.
inline constexpr std::array lane_steps = {1, 2, 4, 8, 16, 32, 64, 128};
std::vector<Dot> lane_dots();

/// small at 0, big at t, -big at t + 32: small survives only where a new sum begins after it, and none
/// between the two. For t = 64, 128, 256, 512.
inline constexpr std::array chunk_steps = {64, 128, 256, 512};
std::vector<Dot> chunk_dots(int lanes);

/// 1, and two terms, 32 and 32 + d later, which are seen only where they are added to each other first: each 3/8 of
/// the last place, as sums to nearest lose it, then each 3/4, as truncating ones do. For d = 1, 2, ... 32, then again.
inline constexpr std::array group_steps = {1, 2, 4, 8, 16, 32};
std::vector<Dot> group_dots(int accumulator_bits, int lanes);

/// 1 + 2^-j as the number itself, in a, then in b. For j = 1 .. fraction_bits.
std::vector<Dot> operand_dots(int fraction_bits);

/// 1 + 2^-j - 1, terms 32 apart. For j = 1 .. most_accumulator_bits.
inline constexpr int most_accumulator_bits = 30;
std::vector<Dot> accumulator_dots(int lanes);

/// Ties, near ties, sums of halves of the last place of an accumulator of that many bits, and
/// random numbers: few terms of one lane.
std::vector<Dot> arithmetic_dots(ir::DType operands, int accumulator_bits, int lanes);

/// Random numbers, many terms, in all lanes.
std::vector<Dot> long_dots(ir::DType operands, int lanes);

}  // namespace plumb::parity::profile::probe
