// Rows of packed codes: blocks one after the other, or codes times scales that lie beside them.
#include "ref_cpu/packed/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "ref_cpu/packed/blocks.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::packed {
namespace {

using ir::kernels::packed::Format;
using ir::kernels::packed::Layout;
using Table = std::array<float, 256>;

/// The value of a float of eight bits (OCP): E4M3 has no infinities, E5M2 is IEEE 754's.
constexpr float value_of_fp8(unsigned code, unsigned fraction_bits) {
  const unsigned field = (code & 127) >> fraction_bits, fraction = code & ((1u << fraction_bits) - 1);
  const std::uint32_t sign = (code & 128) << 24;
  if (fraction_bits == 3 && (code & 127) == 127) return std::numeric_limits<float>::quiet_NaN();
  if (fraction_bits == 2 && field == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 21);
  if (field == 0) {
    const float size = static_cast<float>(fraction) * (fraction_bits == 3 ? 0x1p-9f : 0x1p-16f);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
  }
  return std::bit_cast<float>(sign | (field + (fraction_bits == 3 ? 120 : 112)) << 23 |
                              fraction << (23 - fraction_bits));
}

constexpr Table make_table(unsigned fraction_bits) {
  Table table{};
  for (unsigned code = 0; code < table.size(); ++code) table[code] = value_of_fp8(code, fraction_bits);
  return table;
}

constexpr Table e4m3 = make_table(3), e5m2 = make_table(2);

/// 2^(c - 127), of which the least is subnormal; code 255 is NaN.
float value_of_e8m0(std::uint8_t code) {
  const std::uint32_t bits = code == 0 ? 0x00400000u : code == 255 ? 0x7FC00000u : std::uint32_t{code} << 23;
  return std::bit_cast<float>(bits);
}

constexpr std::array<float, 16> e2m1 = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};

/// Writes the numbers that the codes of a row stand for.
template <class T>
void read_codes(Format format, const std::uint8_t* codes, std::int64_t length, T* values) {
  const auto each = [=](const auto& value_of) {
    for (std::int64_t e = 0; e < length; ++e) values[e] = static_cast<T>(value_of(e));
  };
  const auto nibble = [codes](std::int64_t e) { return e % 2 == 0 ? codes[e / 2] & 15 : codes[e / 2] >> 4; };
  switch (format) {
    case Format::int8:
      return each([codes](std::int64_t e) { return static_cast<std::int8_t>(codes[e]); });
    case Format::uint8:
      return each([codes](std::int64_t e) { return codes[e]; });
    case Format::int4:
      return each([nibble](std::int64_t e) { return (nibble(e) ^ 8) - 8; });
    case Format::uint4:
      return each(nibble);
    case Format::mxfp4_ocp:
      return each([nibble](std::int64_t e) { return e2m1[static_cast<std::size_t>(nibble(e))]; });
    case Format::fp8_e4m3:
    case Format::mxfp8_e4m3:
      return each([codes](std::int64_t e) { return e4m3[codes[e]]; });
    case Format::fp8_e5m2:
    case Format::mxfp8_e5m2:
      return each([codes](std::int64_t e) { return e5m2[codes[e]]; });
    default:
      ir::fail("no codes of ", ir::enum_name(format), " lie beside their scales");
  }
}

/// Calls use(first, end, group) for the stretches of a row that share a scale.
template <class Use>
void by_scale(std::int64_t length, std::int64_t block, const Use& use) {
  for (std::int64_t first = 0, group = 0; first < length; first += block, ++group)
    use(first, std::min(first + block, length), group);
}

}  // namespace

Rows::Rows(const ir::kernels::packed::Packing& packing, const Call& call, std::size_t first)
    : packing_(packing), codes_(call.in(first)) {
  if (packing.has_scales) scales_ = &call.in(first + 1);
  if (packing.has_zero_points) zero_points_ = &call.in(first + 2);
  const ir::Shape& shape = codes_.shape();
  row_bytes_ = shape.back();
  length_ = ir::kernels::packed::row_elements(packing.format, shape);
  count_ = std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies());
}

template <class C>
ScratchRoom<C> scaled_codes(const ir::TensorView& codes, const ir::TensorView& scales) {
  const std::int64_t length = codes.shape().back(), per_row = scales.shape().back();
  const std::int64_t rows = length == 0 ? 0 : codes.shape().elements() / length;
  const auto* const from = codes.as<std::int8_t>().data();
  const C* const s = scales.as<C>().data();
  ScratchRoom<C> made(static_cast<std::size_t>(rows * length));
  C* const to = made.data();
  parallel_for(rows, std::max<std::int64_t>(1, (1 << 15) / (length + 1)), [=](std::int64_t row, std::int64_t end_row) {
    for (; row < end_row; ++row)
      by_scale(length, ir::kernels::packed::x_scale_block, [=](std::int64_t e, std::int64_t end, std::int64_t group) {
        for (; e < end; ++e) to[row * length + e] = static_cast<C>(from[row * length + e]) * s[row * per_row + group];
      });
  });
  return made;
}

template ScratchRoom<float> scaled_codes(const ir::TensorView&, const ir::TensorView&);
template ScratchRoom<double> scaled_codes(const ir::TensorView&, const ir::TensorView&);

template <class T>
void Rows::read(std::int64_t row, T* values) const {
  const Layout layout = ir::kernels::packed::layout(packing_.format);
  if (layout.scales != ir::kernels::packed::Scales::in_block) return read_beside<void>(row, values);
  const std::byte* const bytes = codes_.bytes().data() + row * row_bytes_;
  const std::int64_t blocks = length_ / layout.elements;
  if constexpr (std::is_same_v<T, float>) {
    decode_blocks(packing_.format, bytes, blocks, values);
  } else {
    std::array<float, 256> block;
    for (std::int64_t b = 0; b < blocks; ++b) {
      decode_blocks(packing_.format, bytes + b * layout.bytes, 1, block.data());
      std::copy_n(block.data(), layout.elements, values + b * layout.elements);
    }
  }
}

void Rows::read_weights(std::int64_t row, float* values) const {
  if (ir::kernels::packed::has_real_scales(packing_.format)) return read_beside<float>(row, values);
  read(row, values);
}

template <class C, class T>
void Rows::read_beside(std::int64_t row, T* values) const {
  const Format format = packing_.format;
  const std::int64_t block = ir::kernels::packed::scale_block(format, packing_.block_size, length_);
  const std::int64_t scales = ir::kernels::packed::scales_of_row(format, packing_.block_size, length_);
  read_codes(format, reinterpret_cast<const std::uint8_t*>(codes_.bytes().data() + row * row_bytes_), length_, values);
  if (!ir::kernels::packed::has_real_scales(format)) {
    const auto* const s = scales_->as<std::uint8_t>().data() + row * scales;
    return by_scale(length_, block, [&](std::int64_t e, std::int64_t end, std::int64_t group) {
      const float scale = value_of_e8m0(s[group]);
      for (; e < end; ++e) values[e] = static_cast<T>(static_cast<float>(values[e]) * scale);
    });
  }
  ir::visit_float(scales_->dtype(), [&]<class S>(S) {
    using Computed = std::conditional_t<std::is_void_v<C>, ir::compute_t<S>, C>;
    const S* const s = scales_->as<S>().data() + row * scales;
    const S* const z = zero_points_ != nullptr ? zero_points_->as<S>().data() + row * scales : nullptr;
    by_scale(length_, block, [&](std::int64_t e, std::int64_t end, std::int64_t group) {
      const auto scale = static_cast<Computed>(s[group]);
      const auto zero = z != nullptr ? static_cast<Computed>(z[group]) : Computed(0);
      for (; e < end; ++e) values[e] = static_cast<T>((static_cast<Computed>(values[e]) - zero) * scale);
    });
  });
}

template void Rows::read(std::int64_t, float*) const;
template void Rows::read(std::int64_t, double*) const;

}  // namespace plumb::ref_cpu::packed
