// Philox 4x32-10, the counter-based generator from which fills, samples and sign runs draw.
#include "ir/raw/philox.hpp"

namespace plumb::ir::raw {

PhiloxWords philox(PhiloxWords c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * c[0], second = std::uint64_t{0xCD9E8D57} * c[2];
    const auto high = [](std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); };
    c = {high(second) ^ c[1] ^ key[0], static_cast<std::uint32_t>(second), high(first) ^ c[3] ^ key[1],
         static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

PhiloxWords philox_block(std::uint64_t seed, std::uint32_t stream, std::uint32_t offset, std::uint64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  return philox({low(block), low(block >> 32), stream, offset}, {low(seed), low(seed >> 32)});
}

}  // namespace plumb::ir::raw
