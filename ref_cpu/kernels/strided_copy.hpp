#pragma once

#include <cstring>
#include <span>

#include "ir/kernels/strided_copy.hpp"

namespace plumb::ref_cpu::kernels {

/// A copy on the host: in fewest axes, and through square blocks where they run across.
struct PlannedCopy {
  explicit PlannedCopy(const ir::kernels::StridedCopy& given);

  ir::kernels::StridedCopy copy;  ///< without the two axes that blocks are cut from
  bool is_empty = false, is_by_blocks = false;
  ir::kernels::CopyAxis down = {}, row = {};  ///< the axes of blocks: along which x is dense, and along which y is
};

/// Runs a copy from the bytes of one tensor to those of another: whole runs at
/// once where both are contiguous, in square blocks where they run across.
void strided_copy(const PlannedCopy& copy, std::span<const std::byte> from, std::span<std::byte> to);

inline void strided_copy(const ir::kernels::StridedCopy& copy, std::span<const std::byte> from,
                         std::span<std::byte> to) {
  strided_copy(PlannedCopy(copy), from, to);
}

/// Calls fn with the width (1, 2, 4, 8 or 16 bytes) as a constant of its type, so
/// that a memcpy of as many bytes is one load and one store.
template <class Fn>
void with_width(std::size_t width, Fn fn) {
  const auto one = [&]<std::size_t bytes>() {
    if (width == bytes) fn(std::integral_constant<std::size_t, bytes>{});
  };
  one.template operator()<1>();
  one.template operator()<2>();
  one.template operator()<4>();
  one.template operator()<8>();
  one.template operator()<16>();
}

}  // namespace plumb::ref_cpu::kernels
