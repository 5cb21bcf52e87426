#pragma once

#include <cstdint>
#include <string>

namespace plumb::parity::cases {

/// Elements of a truth that were evaluated again by the definition of the op (docs/oracles.md).
struct OracleSample {
  std::uint32_t asked = 0, bad = 0;  ///< elements that got an answer; those that are not what they should be
  std::uint64_t element = 0;         ///< the first of the bad ones
  double truth = 0, oracle = 0;      ///< what it is, and what the definition gives

  /// What is wrong, in words.
  std::string said(const std::string& op) const;
};

}  // namespace plumb::parity::cases
