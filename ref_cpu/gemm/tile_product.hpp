#pragma once

#include <cstdint>

#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::gemm {

/// The right operand of a product, each of whose rows is a stretch of memory of its own: element
/// (k, p) is data[offsets[k] + p], and a tile beyond the last column may be read.
template <class C>
struct ScatteredRows {
  const C* data;
  const std::int64_t* offsets;
  std::int64_t rows;
};

/// The sums of a product of some rows of a, whose lines are b.rows long, and `columns` columns of b
/// from `first` on: on the calling thread, in an order that depends on the numbers given only.
/// C is float or double.
template <class C>
class TileProduct {
 public:
  static constexpr std::int64_t widest_tile = 48;

  TileProduct(const C* a, std::int64_t rows, const ScatteredRows<C>& b, std::int64_t first, std::int64_t columns);

  const C* row(std::int64_t i) const { return sums_.data() + i * stride_; }

 private:
  std::int64_t stride_ = 0;
  ScratchVector<C> sums_;
};

}  // namespace plumb::ref_cpu::gemm
