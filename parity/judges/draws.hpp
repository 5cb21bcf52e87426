// Draws of a token from a row of logits: which tokens roundings of the division and of exp admit (ops.md B.4).
#pragma once

#include <cstdint>
#include <span>

#include "parity/judges/conditioning.hpp"

namespace plumb::parity::judges {

/// The settings of the draws of all rows.
struct Drawing {
  double temperature = 1;  ///< above 0
  std::size_t top_k = 0;   ///< 0: all
  std::uint64_t least = 0, share = std::uint64_t{1} << 24;
  double unit = 0x1p-24;  ///< the roundoff of what z is computed in; twice it where that is f64, as the truth is
  double smallest = 0x1p-126, floor = 0x1p-149;  ///< the least normal number, and how far smaller ones may be off
  double overflow = 0x1p128;                     ///< z from here on is infinite to a candidate
};

/// How the token of a row came to be.
struct Draw {
  Deciding by = {};         ///< says nothing where the draw is flagged or wild
  bool is_open = false;     ///< another token may be drawn as well
  bool is_flagged = false;  ///< more choices are open than can be tried
  bool is_wild = false;     ///< logits are infinite to a candidate alone
};

/// The draw of `token` with these 64 random bits. Logits have no NaN, and one above -inf.
Draw explain_draw(std::span<const double> logits, const Drawing& how, std::uint64_t random, std::size_t token);

}  // namespace plumb::parity::judges
