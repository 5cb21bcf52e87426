#include "ref_cpu/gemm/tile_product.hpp"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>

namespace plumb::ref_cpu::gemm {
namespace {

/// A tile of sums that stays in vector registers, of which there are 16 or 32.
template <class C>
struct Tile {
  using Packet = typename Eigen::internal::packet_traits<C>::type;
  static constexpr int lanes = Eigen::internal::packet_traits<C>::size;
  static constexpr int rows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 4, vectors = 3;
  static constexpr int columns = vectors * lanes;
  static_assert(columns <= TileProduct<C>::widest_tile);
};

/// sums[i, p] += Σ a[i][k]·b[k, p] over `depth` terms, for the tile's rows i and `vectors` vectors of p.
template <int vectors, class C>
void add_tile(const C* const* a, const C* b, const std::int64_t* offsets, std::int64_t depth, C* sums,
              std::int64_t stride) {
  using Packet = typename Tile<C>::Packet;
  using namespace Eigen::internal;
  constexpr int rows = Tile<C>::rows, lanes = Tile<C>::lanes;
  Packet held[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) held[i][j] = ploadu<Packet>(sums + i * stride + j * lanes);
  for (std::int64_t k = 0; k < depth; ++k) {
    Packet met[vectors];
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) met[j] = ploadu<Packet>(b + offsets[k] + j * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Packet factor = pset1<Packet>(a[i][k]);
#pragma GCC unroll 3
      for (int j = 0; j < vectors; ++j) held[i][j] = pmadd(factor, met[j], held[i][j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) pstoreu(sums + i * stride + j * lanes, held[i][j]);
}

/// The tile's rows of sums, from column `first` of b on.
template <class C>
void add_rows(const C* const* lines, const C* b, const std::int64_t* offsets, std::int64_t depth, C* sums,
              std::int64_t stride) {
  using T = Tile<C>;
  std::int64_t p = 0;
  for (; p + T::columns <= stride; p += T::columns)
    add_tile<T::vectors>(lines, b + p, offsets, depth, sums + p, stride);
  for (; p + 2 * T::lanes <= stride; p += 2 * T::lanes) add_tile<2>(lines, b + p, offsets, depth, sums + p, stride);
  for (; p < stride; p += T::lanes) add_tile<1>(lines, b + p, offsets, depth, sums + p, stride);
}

std::int64_t rounded_up(std::int64_t n, std::int64_t each) { return (n + each - 1) / each * each; }

}  // namespace

template <class C>
TileProduct<C>::TileProduct(const C* a, std::int64_t rows, const ScatteredRows<C>& b, std::int64_t first,
                            std::int64_t columns)
    : stride_(rounded_up(columns, Tile<C>::lanes)),
      sums_(static_cast<std::size_t>(rounded_up(rows, Tile<C>::rows) * stride_), C{0}) {
  constexpr std::int64_t depth = 256;  // b's part of a tile stays in the first cache
  for (std::int64_t k = 0; k < b.rows; k += depth)
    for (std::int64_t i = 0; i < rows; i += Tile<C>::rows) {
      const C* lines[Tile<C>::rows];  // beyond the last row the last again
      for (int r = 0; r < Tile<C>::rows; ++r) lines[r] = a + std::min(i + r, rows - 1) * b.rows + k;
      add_rows(lines, b.data + first, b.offsets + k, std::min(depth, b.rows - k), sums_.data() + i * stride_, stride_);
    }
}

template class TileProduct<float>;
template class TileProduct<double>;

}  // namespace plumb::ref_cpu::gemm
