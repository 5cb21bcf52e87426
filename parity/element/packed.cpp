// A weight by the formulas of ops.md A, which are written down here as they are there: b(i) is byte i of the block, e
// the element's place in it.
#include "parity/element/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/element/quantized.hpp"

namespace plumb::parity::element {
namespace {

using Format = ir::ops::PackedFormat;

long double e8m0(int code) {
  return code == 255 ? std::numeric_limits<long double>::quiet_NaN() : std::ldexp(1.0L, code - 127);
}

constexpr int uneven[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// A block with scales of its own, and one element of it.
class Block {
 public:
  Block(const Call& call, std::size_t codes, const Position& at, int elements, int bytes)
      : call_(call), codes_(codes), e_(static_cast<int>(at.back() % elements)) {
    std::int64_t row = 0;
    for (std::size_t axis = 0; axis + 1 < at.size(); ++axis) row = row * call.in(codes)[axis] + at[axis];
    first_ = row * call.in(codes).back() + at.back() / elements * bytes;
  }

  int e() const { return e_; }
  int b(int i) const { return static_cast<int>(whole(call_.number(codes_, first_ + i))); }
  int s8(int i) const { return b(i) < 128 ? b(i) : b(i) - 256; }
  int w16(int i) const { return b(i) + 256 * b(i + 1); }
  std::int64_t w32(int i) const { return w16(i) + 65536 * std::int64_t{w16(i + 2)}; }
  long double h(int i) const { return small_float(w16(i), 5, 10); }
  int nib(int o, int e) const { return e < 16 ? b(o + e) & 15 : b(o + e - 16) >> 4; }
  int nib(int o) const { return nib(o, e_); }

 private:
  const Call& call_;
  std::size_t codes_;
  std::int64_t first_ = 0;  ///< its first byte, through all rows
  int e_;
};

int fifth_bit(const Block& x, int at) { return static_cast<int>(x.w32(at) >> x.e() & 1) << 4; }

/// Formats of 32 elements (ops.md A.2).
long double small_block(Format format, const Block& x) {
  switch (format) {
    case Format::q4_0:
      return x.h(0) * (x.nib(2) - 8);
    case Format::q4_1:
      return x.h(0) * x.nib(4) + x.h(2);
    case Format::q5_0:
      return x.h(0) * ((x.nib(6) | fifth_bit(x, 2)) - 16);
    case Format::q5_1:
      return x.h(0) * (x.nib(8) | fifth_bit(x, 4)) + x.h(2);
    case Format::q8_0:
      return x.h(0) * x.s8(2 + x.e());
    case Format::iq4_nl:
      return x.h(0) * uneven[x.nib(2)];
    default:
      return std::ldexp(2 * value_of_code(CodeFormat::e2m1, x.nib(1)), x.b(0) - 128);
  }
}

/// Scale and minimum j of q4_k and q5_k.
int sc(const Block& x, int j) {
  const auto s = [&](int i) { return x.b(4 + i); };
  return j < 4 ? s(j) & 63 : (s(j + 4) & 15) | (s(j - 4) >> 6) << 4;
}
int mn(const Block& x, int j) {
  const auto s = [&](int i) { return x.b(4 + i); };
  return j < 4 ? s(j + 4) & 63 : (s(j + 4) >> 4) | (s(j) >> 6) << 4;
}

long double q2_k(const Block& x) {
  const int e = x.e(), half = e / 128, r = e % 128, c = x.b(e / 16);
  const int q = (x.b(16 + 32 * half + r % 32) >> 2 * (r / 32)) & 3;
  return x.h(80) * (c & 15) * q - x.h(82) * (c >> 4);
}

long double q3_k(const Block& x) {
  const int e = x.e(), half = e / 128, r = e % 128, j = r / 32, l = r % 32, t = e / 16;
  const int low = t < 8 ? x.b(96 + t) & 15 : x.b(96 + t - 8) >> 4, high = (x.b(104 + t % 4) >> 2 * (t / 4)) & 3;
  const int q = ((x.b(32 + 32 * half + l) >> 2 * j) & 3) - (((x.b(l) >> (4 * half + j)) & 1) != 0 ? 0 : 4);
  return x.h(108) * ((low | high << 4) - 32) * q;
}

long double q45_k(const Block& x, bool is_five) {
  const int g = x.e() / 32, l = x.e() % 32, c = x.b((is_five ? 48 : 16) + 32 * (g / 2) + l);
  const int q = g % 2 != 0 ? c >> 4 : c & 15, top = is_five ? ((x.b(16 + l) >> g) & 1) << 4 : 0;
  return x.h(0) * sc(x, g) * (q | top) - x.h(2) * mn(x, g);
}

long double q6_k(const Block& x) {
  const int e = x.e(), half = e / 128, r = e % 128, t = r / 32, l = r % 32, c = x.b(64 * half + 32 * (t % 2) + l);
  const int q = ((t >= 2 ? c >> 4 : c & 15) | ((x.b(128 + 32 * half + l) >> 2 * t) & 3) << 4) - 32;
  return x.h(208) * x.s8(192 + e / 16) * q;
}

long double iq4_xs(const Block& x) {
  const int g = x.e() / 32, s = ((x.b(4 + g / 2) >> 4 * (g % 2)) & 15) | ((x.w16(2) >> 2 * g) & 3) << 4;
  return x.h(0) * (s - 32) * uneven[x.nib(8 + 16 * g, x.e() % 32)];
}

/// Formats of 256 elements (ops.md A.3), and those of 32.
long double in_block(Format format, const Call& call, std::size_t codes, const Position& at) {
  const auto block = [&](int elements, int bytes) { return Block(call, codes, at, elements, bytes); };
  switch (format) {
    case Format::q2_k:
      return q2_k(block(256, 84));
    case Format::q3_k:
      return q3_k(block(256, 110));
    case Format::q4_k:
      return q45_k(block(256, 144), false);
    case Format::q5_k:
      return q45_k(block(256, 176), true);
    case Format::q6_k:
      return q6_k(block(256, 210));
    case Format::iq4_xs:
      return iq4_xs(block(256, 136));
    case Format::q4_1:
      return small_block(format, block(32, 20));
    case Format::q5_0:
      return small_block(format, block(32, 22));
    case Format::q5_1:
      return small_block(format, block(32, 24));
    case Format::q8_0:
      return small_block(format, block(32, 34));
    case Format::mxfp4:
      return small_block(format, block(32, 17));
    default:
      return small_block(format, block(32, 18));
  }
}

/// The number that a code stands for which lies beside its scale; nothing of formats that have scales in their blocks.
std::optional<long double> code_at(Format format, const Call& call, std::size_t codes, const Position& at) {
  Position pair = at;
  pair.back() /= 2;
  const auto nibble = [&] { return static_cast<int>(call.whole(codes, pair)) >> (at.back() % 2 == 0 ? 0 : 4) & 15; };
  switch (format) {
    case Format::int8:
    case Format::uint8:
      return call.whole(codes, at);
    case Format::int4:
      return nibble() < 8 ? nibble() : nibble() - 16;
    case Format::uint4:
      return nibble();
    case Format::fp8_e4m3:
    case Format::mxfp8_e4m3:
      return value_of_code(CodeFormat::e4m3, call.whole(codes, at));
    case Format::fp8_e5m2:
    case Format::mxfp8_e5m2:
      return value_of_code(CodeFormat::e5m2, call.whole(codes, at));
    case Format::mxfp4_ocp:
      return value_of_code(CodeFormat::e2m1, nibble());
    default:
      return std::nullopt;
  }
}

bool is_mx(Format format) {
  return format == Format::mxfp8_e4m3 || format == Format::mxfp8_e5m2 || format == Format::mxfp4_ocp;
}

/// Where the scale of a weight lies that has one beside its code.
Position scale_position(Format format, std::int64_t block_size, Position at) {
  const std::int64_t block = is_mx(format) ? 32 : block_size;
  at.back() = block > 0 ? at.back() / block : 0;
  return at;
}

/// The value of a format without real scales, which is rounded to f32 once.
float rounded_once(Format format, std::optional<long double> code, const Call& call, std::size_t codes,
                   const Position& at) {
  if (!code) return static_cast<float>(in_block(format, call, codes, at));
  return static_cast<float>(*code * e8m0(static_cast<int>(call.whole(codes + 1, scale_position(format, 0, at)))));
}

/// x rounded to a float of so many significant bits and least and greatest exponent, to nearest even.
long double rounded_to(long double x, int bits, int least_exponent, int greatest_exponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), least_exponent);
  const long double step = std::ldexp(1.0L, exponent - bits + 1), y = std::nearbyint(x / step) * step;
  return std::fabs(y) < std::ldexp(1.0L, greatest_exponent + 1) ? y : std::copysign(HUGE_VALL, y);
}

/// A scale or zero point as f32.
float side_number(const Real& x) {
  if (x.off != 0) throw NoAnswer{};
  return static_cast<float>(x.value);
}

}  // namespace

Real packed_weight(Format format, std::int64_t block_size, bool has_zero_points, const Call& call, std::size_t codes,
                   Position at) {
  const auto code = code_at(format, call, codes, at);
  if (!code || is_mx(format)) return Real(rounded_once(format, code, call, codes, at));
  at = scale_position(format, block_size, at);
  const Real zero = has_zero_points ? call.real(codes + 2, at) : Real(0);
  return (Real(*code) - zero) * call.real(codes + 1, at);
}

Real left_factor(const Call& call, Position at, std::optional<std::size_t> scales) {
  const Real x = call.real(0, at);
  if (!scales) return x;
  at.back() /= 32;
  return x * call.real(*scales, at);
}

float packed_factor(Format format, std::int64_t block_size, bool has_zero_points, const Call& call, std::size_t codes,
                    Position at) {
  const auto code = code_at(format, call, codes, at);
  if (!code || is_mx(format)) return rounded_once(format, code, call, codes, at);
  at = scale_position(format, block_size, at);
  const float zero = has_zero_points ? side_number(call.real(codes + 2, at)) : 0.0f;
  const auto difference = static_cast<float>(*code - zero);
  return static_cast<float>(static_cast<long double>(difference) * side_number(call.real(codes + 1, at)));
}

long double rounded_factor(ir::ops::WeightDtype dtype, float weight) {
  if (dtype == ir::ops::WeightDtype::f16) return rounded_to(weight, 11, -14, 15);
  return dtype == ir::ops::WeightDtype::bf16 ? rounded_to(weight, 8, -126, 127) : weight;
}

}  // namespace plumb::parity::element
