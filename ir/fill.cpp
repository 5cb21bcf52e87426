#include "ir/fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "ir/attribute.hpp"
#include "ir/convert.hpp"
#include "ir/raw/hash.hpp"
#include "ir/raw/philox.hpp"
#include "ir/raw/threads.hpp"

namespace plumb::ir {
namespace {

/// A random stream read word by word, in any order; neighbours share a block.
class Words {
 public:
  Words(std::uint64_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) { load(0); }

  std::uint32_t operator[](std::uint64_t i) {
    if (i / 4 != block_) load(i / 4);
    return words_[i % 4];
  }

 private:
  void load(std::uint64_t block) {
    block_ = block;
    words_ = raw::philox_block(seed_, stream_, 0, block);
  }

  std::uint64_t seed_, block_ = 0;
  std::uint32_t stream_;
  raw::PhiloxWords words_{};
};

/// The largest number of a real dtype below `x`.
template <class T>
T largest_below(double x) {
  const T nearest(convert_value<T>(x));
  if (static_cast<double>(nearest) < x) return nearest;
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(nearest, -std::numeric_limits<T>::infinity());
  } else {
    const auto bits = nearest.bits;  // sign and magnitude: one code down, or from zero to the smallest negative
    if ((bits & 0x7FFF) == 0) return T::from_bits(0x8001);
    return T::from_bits(static_cast<std::uint16_t>((bits & 0x8000) != 0 ? bits + 1 : bits - 1));
  }
}

/// Elements from number `first` on, as of the others.
template <class T>
void fill_uniform(std::span<T> y, std::size_t first, const Fill& fill, Words words) {
  using C = compute_t<T>;
  constexpr int bits = std::is_same_v<T, f16> ? 11 : std::is_same_v<T, bf16> ? 8 : 24;
  const C low = static_cast<C>(fill.low), width = static_cast<C>(fill.high) - low;
  const T last = fill.high > fill.low ? largest_below<T>(fill.high) : convert_value<T>(fill.low);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const C unit = std::ldexp(static_cast<C>(words[first + i] >> (32 - bits)), -bits);
    const C scaled = width * unit;
    const T rounded(convert_value<T>(low + scaled));
    y[i] = static_cast<C>(rounded) < static_cast<C>(last) ? rounded : last;
  }
}

/// Box and Muller's pairs. The standard normal is rounded to float, which hides how
/// libraries differ in the last bits of logarithms and cosines. `first` is even.
template <class T>
void fill_normal(std::span<T> y, std::size_t first, const Fill& fill, Words words) {
  for (std::size_t i = 0; i < y.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(((words[first + i] >> 8) + 1) * 0x1p-24));
    const double angle = 2 * std::numbers::pi * ((words[first + i + 1] >> 8) * 0x1p-24);
    const float pair[] = {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
    for (std::size_t k = 0; k < 2 && i + k < y.size(); ++k)
      y[i + k] = convert_value<T>(fill.mean + fill.scale * static_cast<double>(pair[k]));
  }
}

template <class T>
void fill_reals(std::span<T> y, const Fill& fill, const Words& words) {
  using C = compute_t<T>;
  const bool is_uniform = fill.distribution == Distribution::uniform;
  require(!is_uniform || std::isfinite(static_cast<C>(fill.high) - static_cast<C>(fill.low)),
          "fill uniform: high - low must be finite in ", dtype_of<C>);
  constexpr std::size_t piece_size = 1 << 16;
  const std::size_t pieces = (y.size() + piece_size - 1) / piece_size;
  raw::for_each_piece(pieces, raw::workers_for(pieces), [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * piece_size;
    const std::span<T> part = y.subspan(first, std::min(piece_size, y.size() - first));
    if (is_uniform)
      fill_uniform(part, first, fill, words);
    else
      fill_normal(part, first, fill, words);
  });
}

/// Wraps modulo 2^64, like integers everywhere in the IR.
std::int64_t wrapping_term(double start, double delta, std::size_t i) {
  const auto whole = [](double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
  return static_cast<std::int64_t>(whole(start) + whole(delta) * i);
}

template <class T>
void fill_steps(std::span<T> y, const Fill& fill, Words words) {
  const auto each = [&](auto element) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = convert_value<T>(element(i));
  };
  if (fill.distribution == Distribution::constant) {
    each([&](std::size_t) { return fill.value; });
  } else if (fill.distribution == Distribution::bernoulli) {
    const auto threshold = static_cast<std::uint64_t>(std::floor(fill.probability * 0x1p32 + 0.5));
    each([&](std::size_t i) { return words[i] < threshold; });
  } else if (fill.distribution == Distribution::uniform_int) {
    const auto low = static_cast<std::int64_t>(fill.low);
    const auto width = static_cast<std::uint64_t>(fill.high - fill.low);
    each([&](std::size_t i) { return low + static_cast<std::int64_t>(words[i] * width >> 32); });
  } else if constexpr (std::is_integral_v<T>) {
    each([&](std::size_t i) { return wrapping_term(fill.start, fill.delta, i); });
  } else {
    each([&](std::size_t i) { return fill.start + static_cast<double>(i) * fill.delta; });
  }
}

bool is_random_real(Distribution distribution) {
  return distribution == Distribution::normal || distribution == Distribution::uniform;
}

/// Whether x is a whole number that dtype holds; every such x fits an i64.
bool fits(double x, DType dtype) {
  if (!(std::abs(x) < 0x1p63) || x != std::floor(x)) return false;
  bool holds = false;
  visit_integer(dtype, [&]<class T>(T) {
    holds = x >= static_cast<double>(std::numeric_limits<T>::min()) &&
            x <= static_cast<double>(std::numeric_limits<T>::max());
  });
  return holds;
}

void check_parameters(const Fill& fill) {
  const auto name = enum_name(fill.distribution);
  for (const FillParameter& p : fill_parameters)
    if (p.distribution == fill.distribution && p.distribution != Distribution::constant)
      require(std::isfinite(fill.*p.member), "fill ", name, ": ", p.name, " must be finite, got ", fill.*p.member);
  switch (fill.distribution) {
    case Distribution::normal:
      require(fill.scale >= 0, "fill normal: scale must be >= 0, got ", fill.scale);
      break;
    case Distribution::uniform:
      require(fill.low <= fill.high, "fill uniform: low must be <= high, got ", fill.low, " and ", fill.high);
      break;
    case Distribution::uniform_int: {
      const double width = fill.high - fill.low;
      require(width >= 1 && width <= 0x1p32 - 1, "fill uniform_int: high - low must be in 1..2^32 - 1, got ", width);
      const bool whole = fits(fill.low, DType::i64) && fits(fill.high, DType::i64);
      require(whole, "fill uniform_int: low and high must be whole numbers, got ", fill.low, " and ", fill.high);
      break;
    }
    case Distribution::bernoulli:
      require(fill.probability >= 0 && fill.probability <= 1, "fill bernoulli: probability must be in 0..1, got ",
              fill.probability);
      break;
    default:
      break;
  }
}

void check_integers(DType dtype, const Fill& fill) {
  const auto check = [&](std::string_view name, double x, DType holder) {
    require(fits(x, holder), "fill ", enum_name(fill.distribution), ": ", name, " must be a whole number that fits ",
            holder, ", got ", x);
  };
  switch (fill.distribution) {
    case Distribution::uniform_int:
      check("low", fill.low, dtype);
      check("high - 1", fill.high - 1, dtype);
      break;
    case Distribution::constant:
      check("value", fill.value, dtype);
      break;
    case Distribution::range:
      check("start", fill.start, DType::i64);
      check("delta", fill.delta, DType::i64);
      break;
    default:
      break;
  }
}

}  // namespace

Fill default_fill(DType dtype) {
  Fill fill;
  if (dtype == DType::boolean) {
    fill.distribution = Distribution::bernoulli;
  } else if (is_integer(dtype)) {
    fill.distribution = Distribution::uniform_int;
    fill.low = is_signed(dtype) ? -8 : 0;
    fill.high = 9;
  }
  return fill;
}

void check_fill(const TensorType& type, const Fill& fill) {
  const auto name = enum_name(fill.distribution);
  check_parameters(fill);
  const bool is_byte = type.dtype == DType::u8 || type.dtype == DType::i8;
  require(fill.distribution != Distribution::packed || is_byte, "fill packed: makes bytes, the tensor is ", type.dtype);
  if (type.dtype == DType::boolean) {
    const bool coin = fill.distribution == Distribution::bernoulli || fill.distribution == Distribution::adversarial;
    const bool bit = fill.distribution == Distribution::constant && (fill.value == 0 || fill.value == 1);
    require(coin || bit, "fill ", name, ": a bool tensor takes bernoulli, or constant with value 0 or 1");
  } else if (is_integer(type.dtype)) {
    require(!is_random_real(fill.distribution), "fill ", name, ": makes reals, the tensor is ", type.dtype);
    check_integers(type.dtype, fill);
  }
}

Tensor fill(const TensorType& type, const Fill& fill, std::uint64_t seed, std::uint32_t stream) {
  check_fill(type, fill);
  require(fill.distribution != Distribution::adversarial, "fill adversarial: depends on what a graph does with it");
  require(fill.distribution != Distribution::packed, "fill packed: depends on the format of the codes");
  Tensor y(type);
  const Words words(seed, stream);
  visit_any(type.dtype, [&]<class T>(T) {
    const auto elements = y.as<T>();
    if (!is_random_real(fill.distribution)) {
      fill_steps(elements, fill, words);
    } else if constexpr (is_complex(dtype_of<T>)) {
      using Part = typename T::value_type;
      fill_reals(std::span(reinterpret_cast<Part*>(elements.data()), elements.size() * 2), fill, words);
    } else if constexpr (is_float(dtype_of<T>)) {
      fill_reals(elements, fill, words);
    }
  });
  return y;
}

std::uint32_t stream_of(std::string_view name) {
  return static_cast<std::uint32_t>(raw::hash_bytes(std::as_bytes(std::span(name.data(), name.size()))));
}

void make_other(Tensor& x) {
  const Tensor from = x;
  const std::size_t width = info(x.dtype()).bytes, count = x.bytes().size() / width;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(x.bytes().data() + i * width, from.bytes().data() + (count - 1 - i / 2) * width, width);
  if (!is_float(x.dtype()) && !is_complex(x.dtype())) return;
  const std::size_t part = is_complex(x.dtype()) ? width / 2 : width;
  for (std::size_t at = part - 1; at < x.bytes().size(); at += part) x.bytes()[at] ^= std::byte{0x80};  // the sign
}

}  // namespace plumb::ir
