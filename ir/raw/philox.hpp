#pragma once

#include <array>
#include <cstdint>

namespace plumb::ir::raw {

using PhiloxWords = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 (Salmon et al. 2011; ops.md B.1): four random words for a counter.
PhiloxWords philox(PhiloxWords counter, std::array<std::uint32_t, 2> key);

/// Block `block` of the stream (seed, stream, offset), as ops.md B.2 lays it out.
PhiloxWords philox_block(std::uint64_t seed, std::uint32_t stream, std::uint32_t offset, std::uint64_t block);

}  // namespace plumb::ir::raw
