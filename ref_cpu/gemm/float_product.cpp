// Products of f32 in an order that is published: a few rows by a few vectors of columns at a time, whose sums stay in
// registers.

#include "ref_cpu/gemm/float_product.hpp"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <bit>

#include "ref_cpu/published_sums.hpp"

// g++ says of every template of a vector type that its alignment is none of the template's business.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace plumb::ref_cpu::gemm {
namespace {

using FloatPacket = Eigen::internal::packet_traits<float>::type;
constexpr int float_lanes = Eigen::internal::packet_traits<float>::size;
using TurnedPacket = Eigen::internal::unpacket_traits<FloatPacket>::half;
constexpr int turned_lanes = Eigen::internal::unpacket_traits<TurnedPacket>::size;

/// The extents of a tile: its accumulators take most of 16 or 32 registers.
constexpr int tile_rows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 4, tile_vectors = 3;
constexpr int tile_columns = tile_vectors * float_lanes;

/// Rows of a that stay in a cache while the columns of b pass by.
constexpr std::int64_t block_of_rows = 256;

/// Some terms of rows of a: that of row i is data[i / tile_rows * group + i % tile_rows * row + k * step].
struct LeftTerms {
  const float* data;
  std::int64_t group, row, step;

  const float* at(std::int64_t i) const { return data + i / tile_rows * group + i % tile_rows * row; }
};

/// Some terms of whole vectors of columns of b, row by row.
struct RightTerms {
  const float* data;
  std::int64_t step;
};

/// Sums of a tile: stored, or added to what is there.
template <int rows, int vectors>
void add_terms(const float* a, const LeftTerms& left, const RightTerms& b, std::int64_t depth, float* y,
               std::int64_t stride, bool is_first) {
  using namespace Eigen::internal;
  FloatPacket held[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) held[i][j] = pset1<FloatPacket>(0.0F);
  const float* met = b.data;
  for (std::int64_t k = 0; k < depth; ++k, a += left.step, met += b.step) {
    FloatPacket columns[vectors];
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) columns[j] = ploadu<FloatPacket>(met + j * float_lanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const FloatPacket factor = pset1<FloatPacket>(a[i * left.row]);
#pragma GCC unroll 3
      for (int j = 0; j < vectors; ++j) held[i][j] = pmadd(factor, columns[j], held[i][j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) {
      float* const place = y + i * stride + j * float_lanes;
      pstoreu(place, is_first ? held[i][j] : padd(ploadu<FloatPacket>(place), held[i][j]));
    }
}

using AddTerms = decltype(&add_terms<1, 1>);

/// By the number of vectors, and by log₂ of the number of rows.
constexpr AddTerms by_size[tile_vectors][4] = {{add_terms<1, 1>, add_terms<2, 1>, add_terms<4, 1>, add_terms<8, 1>},
                                               {add_terms<1, 2>, add_terms<2, 2>, add_terms<4, 2>, add_terms<8, 2>},
                                               {add_terms<1, 3>, add_terms<2, 3>, add_terms<4, 3>, add_terms<8, 3>}};

/// A product of some terms of some rows and columns, which is stored or added.
struct Part {
  LeftTerms a;
  RightTerms b;
  std::int64_t rows, columns, depth;
  Matrix<float> y;
  bool is_first;
};

/// Sums of which not all are stored, or not side by side.
void add_scattered(AddTerms add, const Part& part, std::int64_t row, std::int64_t rows) {
  alignas(64) float sums[tile_rows * tile_columns];
  add(part.a.at(row), part.a, part.b, part.depth, sums, tile_columns, true);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < part.columns; ++j) {
      float& y = part.y.data[(row + i) * part.y.row_stride + j * part.y.column_stride];
      y = part.is_first ? sums[i * tile_columns + j] : y + sums[i * tile_columns + j];
    }
}

/// All rows by at most tile_columns columns.
void add_strip(const Part& part) {
  const auto& of_rows = by_size[(part.columns - 1) / float_lanes];
  const bool is_whole = part.columns % float_lanes == 0 && part.y.column_stride == 1;
  for (std::int64_t row = 0; row < part.rows;) {
    const auto left = static_cast<std::uint64_t>(std::min<std::int64_t>(part.rows - row, tile_rows));
    const std::int64_t rows = static_cast<std::int64_t>(std::bit_floor(left));
    const AddTerms add = of_rows[std::countr_zero(std::bit_floor(left))];
    if (is_whole)
      add(part.a.at(row), part.a, part.b, part.depth, part.y.data + row * part.y.row_stride, part.y.row_stride,
          part.is_first);
    else
      add_scattered(add, part, row, rows);
    row += rows;
  }
}

/// b, `columns` of it padded to `width`, with its rows side by side.
void pack_rows(const Matrix<const float>& b, std::int64_t width, float* packed) {
  for (std::int64_t k = 0; k < b.rows; ++k, packed += width) {
    std::copy_n(b.data + k * b.row_stride, b.columns, packed);
    std::fill(packed + b.columns, packed + width, 0.0F);
  }
}

/// As pack_rows does, of a b whose columns are what lies side by side: squares of half a vector are turned, which
/// registers have room for.
void pack_columns(const Matrix<const float>& b, std::int64_t width, float* packed) {
  using namespace Eigen::internal;
  for (std::int64_t first = 0; first < width; first += turned_lanes) {
    const std::int64_t columns = std::min<std::int64_t>(b.columns - first, turned_lanes);
    const float* const from = b.data + first * b.column_stride;
    float* const to = packed + first;
    std::int64_t k = 0;
    for (; columns == turned_lanes && k + turned_lanes <= b.rows; k += turned_lanes) {
      PacketBlock<TurnedPacket, turned_lanes> block;
#pragma GCC unroll 16
      for (int j = 0; j < turned_lanes; ++j) block.packet[j] = ploadu<TurnedPacket>(from + j * b.column_stride + k);
      ptranspose(block);
#pragma GCC unroll 16
      for (int i = 0; i < turned_lanes; ++i) pstoreu(to + (k + i) * width, block.packet[i]);
    }
    for (; k < b.rows; ++k)
      for (std::int64_t j = 0; j < turned_lanes; ++j)
        to[k * width + j] = j < columns ? from[j * b.column_stride + k] : 0.0F;
  }
}

/// Some terms of some rows of a, side by side in groups of tile_rows.
LeftTerms pack_left(const Matrix<const float>& a, ScratchVector<float>& packed) {
  const std::int64_t groups = (a.rows + tile_rows - 1) / tile_rows, group = tile_rows * a.columns;
  packed.resize(static_cast<std::size_t>(groups * group));
  if (a.column_stride == 1) {
    for (std::int64_t i = 0; i < a.rows; ++i)
      std::copy_n(a.data + i * a.row_stride, a.columns, packed.data() + i * a.columns);
    return {packed.data(), group, a.columns, 1};
  }
  for (std::int64_t k = 0; k < a.columns; ++k) {
    const float* const from = a.data + k * a.column_stride;
    float* const to = packed.data() + k * tile_rows;
    std::int64_t i = 0;
    for (; i + tile_rows <= a.rows; i += tile_rows)
#pragma GCC unroll 8
      for (int r = 0; r < tile_rows; ++r) to[i * a.columns + r] = from[i + r];
    for (std::int64_t r = i; r < a.rows; ++r) to[i * a.columns + r - i] = from[r];
  }
  return {packed.data(), group, 1, tile_rows};
}

/// One row by columns of b whose terms lie side by side, as many as fill pairs of half vectors: squares are turned and
/// multiplied at once, without being stored. Two at a time, or each would wait for the addition before. Returns how
/// many columns these are.
std::int64_t add_turned_row(const Matrix<const float>& a, const Matrix<const float>& b, float* y, bool is_first) {
  using namespace Eigen::internal;
  constexpr int pair = 2;
  const std::int64_t columns = b.columns / (pair * turned_lanes) * (pair * turned_lanes);
  for (std::int64_t column = 0; column < columns; column += pair * turned_lanes) {
    const float* const from = b.data + column * b.column_stride;
    TurnedPacket held[pair] = {pset1<TurnedPacket>(0.0F), pset1<TurnedPacket>(0.0F)};
    std::int64_t k = 0;
    for (; k + turned_lanes <= b.rows; k += turned_lanes)
#pragma GCC unroll 2
      for (int half = 0; half < pair; ++half) {
        PacketBlock<TurnedPacket, turned_lanes> block;
#pragma GCC unroll 16
        for (int j = 0; j < turned_lanes; ++j)
          block.packet[j] = ploadu<TurnedPacket>(from + (half * turned_lanes + j) * b.column_stride + k);
        ptranspose(block);
#pragma GCC unroll 16
        for (int i = 0; i < turned_lanes; ++i)
          held[half] = pmadd(pset1<TurnedPacket>(a.data[(k + i) * a.column_stride]), block.packet[i], held[half]);
      }
    for (; k < b.rows; ++k)
      for (int half = 0; half < pair; ++half) {
        alignas(64) float terms[turned_lanes];
        for (int j = 0; j < turned_lanes; ++j) terms[j] = from[(half * turned_lanes + j) * b.column_stride + k];
        held[half] = pmadd(pset1<TurnedPacket>(a.data[k * a.column_stride]), ploadu<TurnedPacket>(terms), held[half]);
      }
    for (int half = 0; half < pair; ++half) {
      float* const place = y + column + half * turned_lanes;
      pstoreu(place, is_first ? held[half] : padd(ploadu<TurnedPacket>(place), held[half]));
    }
  }
  return columns;
}

/// One chunk of terms of at most block_of_rows rows.
void add_chunk(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& y, bool is_first,
               ScratchVector<float>& scratch) {
  if (a.rows == 1 && b.column_stride != 1 && y.column_stride == 1) {
    const std::int64_t done = add_turned_row(a, b, y.data, is_first), left = b.columns - done;
    if (left == 0) return;
    if (done > 0) return add_chunk(a, b.block(0, done, b.rows, left), y.block(0, done, 1, left), is_first, scratch);
  }
  alignas(64) float packed[product_chunk * tile_columns];
  const std::int64_t vectors = (b.columns + float_lanes - 1) / float_lanes;
  const std::int64_t strips = (vectors + tile_vectors - 1) / tile_vectors;
  const bool is_read_once = strips == 1 || a.rows <= tile_rows;
  const LeftTerms left =
      is_read_once ? LeftTerms{a.data, tile_rows * a.row_stride, a.row_stride, a.column_stride} : pack_left(a, scratch);
  for (std::int64_t strip = 0; strip < strips; ++strip) {
    const std::int64_t first = vectors * strip / strips * float_lanes;
    const std::int64_t width = vectors * (strip + 1) / strips * float_lanes - first;
    const std::int64_t columns = std::min(width, b.columns - first);
    const Matrix<const float> met = b.block(0, first, b.rows, columns);
    RightTerms right{packed, width};
    if (b.column_stride == 1 && columns == width && a.rows <= tile_rows)
      right = {met.data, b.row_stride};
    else if (b.column_stride == 1)
      pack_rows(met, width, packed);
    else
      pack_columns(met, width, packed);
    add_strip({left, right, a.rows, columns, b.rows, y.block(0, first, y.rows, columns), is_first});
  }
}

}  // namespace

void multiply_floats(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& y) {
  // The longer side is the one that fills vectors.
  if (b.columns < float_lanes && b.columns < a.rows)
    return multiply_floats(b.transposed(), a.transposed(), y.transposed());
  ScratchVector<float> scratch;
  const std::int64_t depth = a.columns;
  if (depth == 0)
    for (std::int64_t i = 0; i < y.rows; ++i)
      for (std::int64_t j = 0; j < y.columns; ++j) y.data[i * y.row_stride + j * y.column_stride] = 0;
  for (std::int64_t row = 0; row < a.rows; row += block_of_rows) {
    const std::int64_t rows = std::min(block_of_rows, a.rows - row);
    for (std::int64_t k = 0; k < depth; k += product_chunk) {
      const std::int64_t count = std::min(product_chunk, depth - k);
      add_chunk(a.block(row, k, rows, count), b.block(k, 0, count, b.columns), y.block(row, 0, rows, y.columns), k == 0,
                scratch);
    }
  }
}

ir::SumUnit unit_of_floats() {
  // 1 - 2^-24 squared is 1 - 2^-23 + 2^-48, of which f32 keeps no more than the first two.
  volatile float known_at_run_time = 1 - 0x1p-24F;
  const float below = known_at_run_time;
  const auto factor = Eigen::internal::pset1<FloatPacket>(below);
  const auto rest = Eigen::internal::pmadd(factor, factor, Eigen::internal::pset1<FloatPacket>(-(1 - 0x1p-23F)));
  return Eigen::internal::pfirst(rest) != 0 ? ir::SumUnit::fma : ir::SumUnit::separate;
}

ir::Sum sum_of_floats() { return {.unit = unit_of_floats(), .levels = {{.count = product_chunk}, {}}}; }

std::vector<ir::Sum> sums_of_products(ir::DType dtype, bool has_bias) {
  if (!adds_in_f32(dtype)) return {};
  ir::Sum sum = sum_of_floats();
  if (has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  return {sum};
}

}  // namespace plumb::ref_cpu::gemm

#pragma GCC diagnostic pop
