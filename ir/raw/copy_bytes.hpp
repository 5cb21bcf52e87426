#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace plumb::ir::raw {

/// Copies bytes to where `to` begins, which has room for them. libstdc++'s
/// std::ranges::copy takes them one by one.
inline void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace plumb::ir::raw
