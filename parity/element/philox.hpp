#pragma once

#include <array>
#include <cstdint>

namespace plumb::parity::element {

/// A block of a stream of random words.
struct RandomBlock {
  std::uint64_t block = 0, seed = 0;
  std::uint32_t stream = 0, offset = 0;
};

/// The four words of a block (ops.md B.1, ops.md B.2).
std::array<std::uint32_t, 4> words_of(const RandomBlock& at);

}  // namespace plumb::parity::element
