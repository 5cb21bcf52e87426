// Hashing of bytes by XXH3, in the one file that includes xxHash.
#include "ir/raw/hash.hpp"

#include <xxhash.h>

namespace plumb::ir::raw {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace plumb::ir::raw
