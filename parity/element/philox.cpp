// Ten rounds of Philox 4x32, from its text alone.
#include "parity/element/philox.hpp"

namespace plumb::parity::element {

std::array<std::uint32_t, 4> words_of(const RandomBlock& at) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  std::uint32_t k0 = low(at.seed), k1 = low(at.seed >> 32);
  std::array<std::uint32_t, 4> c = {low(at.block), low(at.block >> 32), at.stream, at.offset};
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c = {low(b >> 32) ^ c[1] ^ k0, low(b), low(a >> 32) ^ c[3] ^ k1, low(a)};
  }
  return c;
}

}  // namespace plumb::parity::element
