#pragma once

#include <cstdint>
#include <string>

namespace plumb::parity::cases {

/// Elements of a truth that were evaluated again by the definition of the op (docs/truth.md).
struct OracleSample {
  std::uint32_t asked = 0, bad = 0;  ///< elements that got an answer; those that are not what they should be
  std::uint64_t element = 0;         ///< the first of the bad ones
  double truth = 0, oracle = 0;      ///< the number of the truth, and that by the definition

  std::uint32_t limits = 0, bad_limits = 0;  ///< elements whose limit was held to their terms; those with another one
  std::uint64_t limit_element = 0;           ///< the first of these
  double chance = 0, chance_of_terms = 0;    ///< its error by chance, by its limit and by its terms
  bool is_of_steps = false;                  ///< these are its whole error, and that by the steps of its program

  /// The fault in words: that of the truth, or else that of a limit.
  std::string said(const std::string& op) const;
};

}  // namespace plumb::parity::cases
