#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::ir::raw {

/// XXH3 (64 bit) of some bytes, continued from `seed`.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace plumb::ir::raw
