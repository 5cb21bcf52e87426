#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <type_traits>

#include "ir/error.hpp"
#include "ir/half.hpp"

namespace plumb::ir {

/// The element types of a tensor, at native width (ops.md 1.2). A new one comes last: files and shaders have these
/// numbers.
enum class DType : std::uint8_t { boolean, u8, i8, i16, i32, u32, i64, f16, bf16, f32, f64, c64, c128, u16 };

inline constexpr std::size_t dtype_count = 14;

struct DTypeInfo {
  std::string_view name;
  std::size_t bytes;
};

constexpr DTypeInfo info(DType dtype) {
  constexpr std::array<DTypeInfo, dtype_count> table = {{{"bool", 1},
                                                         {"u8", 1},
                                                         {"i8", 1},
                                                         {"i16", 2},
                                                         {"i32", 4},
                                                         {"u32", 4},
                                                         {"i64", 8},
                                                         {"f16", 2},
                                                         {"bf16", 2},
                                                         {"f32", 4},
                                                         {"f64", 8},
                                                         {"c64", 8},
                                                         {"c128", 16},
                                                         {"u16", 2}}};
  return table[static_cast<std::size_t>(dtype)];
}

inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << info(dtype).name; }

/// The dtype called `name`, or nothing.
constexpr std::optional<DType> find_dtype(std::string_view name) {
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (info(static_cast<DType>(i)).name == name) return static_cast<DType>(i);
  return std::nullopt;
}

/// A set of dtypes: what an input accepts.
class DTypes {
 public:
  constexpr DTypes() = default;
  constexpr DTypes(DType dtype) : mask_(1u << static_cast<unsigned>(dtype)) {}

  constexpr bool contains(DType dtype) const { return (mask_ >> static_cast<unsigned>(dtype) & 1u) != 0; }
  friend constexpr DTypes operator|(DTypes a, DTypes b) {
    DTypes both;
    both.mask_ = a.mask_ | b.mask_;
    return both;
  }
  bool operator==(const DTypes&) const = default;

 private:
  unsigned mask_ = 0;
};

constexpr DTypes operator|(DType a, DType b) { return DTypes(a) | DTypes(b); }
std::ostream& operator<<(std::ostream& out, DTypes dtypes);

/// The letters of ops.md 1.2.
namespace dtypes {
inline constexpr DTypes R = DType::f16 | DType::bf16 | DType::f32 | DType::f64;
inline constexpr DTypes I = DType::u8 | DType::i8 | DType::u16 | DType::i16 | DType::i32 | DType::u32 | DType::i64;
inline constexpr DTypes Z = DType::c64 | DType::c128;
inline constexpr DTypes B = DType::boolean;
inline constexpr DTypes N = R | I;
inline constexpr DTypes X = DType::i32 | DType::i64;
inline constexpr DTypes any = N | Z | B;
}  // namespace dtypes

constexpr bool is_float(DType dtype) { return dtypes::R.contains(dtype); }
constexpr bool is_integer(DType dtype) { return dtypes::I.contains(dtype); }
constexpr bool is_complex(DType dtype) { return dtypes::Z.contains(dtype); }
constexpr bool is_signed(DType dtype) { return !(dtypes::B | DType::u8 | DType::u16 | DType::u32).contains(dtype); }

/// u(T): half the spacing at 1 (ops.md 1.6), of a part for complex types; 0 for
/// types that hold their values exactly.
constexpr double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::f32:
    case DType::c64:
      return 0x1p-24;
    case DType::f64:
    case DType::c128:
      return 0x1p-53;
    default:
      return 0;
  }
}

/// GCC does not hide variable templates by -fvisibility.
template <class T>
[[gnu::visibility("hidden")]] inline constexpr DType dtype_of = [] {
  if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return DType::u16;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DType::i16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return DType::u32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::i64;
  else if constexpr (std::is_same_v<T, f16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, bf16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::c64;
  else {
    static_assert(std::is_same_v<T, std::complex<double>>, "not the C++ type of a dtype");
    return DType::c128;
  }
}();

/// The C++ type in which an element type is computed (ops.md 1.2): float for
/// f16 and bf16, the type itself for the rest.
template <class T>
struct Compute {
  using type = T;
};
template <>
struct Compute<f16> {
  using type = float;
};
template <>
struct Compute<bf16> {
  using type = float;
};
template <class T>
using compute_t = typename Compute<T>::type;

namespace detail {

template <class Fn, class... T>
bool visit_any_of(DType dtype, Fn& fn) {
  return ((dtype == dtype_of<T> ? (fn(T{}), true) : false) || ...);
}

}  // namespace detail

/// Calls fn with a value of the C++ type of a dtype in R, I, N, Z or any.
template <class Fn>
void visit_float(DType dtype, Fn fn) {
  if (!detail::visit_any_of<Fn, f16, bf16, float, double>(dtype, fn)) fail("expected a float tensor, got ", dtype);
}
template <class Fn>
void visit_integer(DType dtype, Fn fn) {
  if (!detail::visit_any_of<Fn, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t, std::uint32_t,
                            std::int64_t>(dtype, fn))
    fail("expected an integer tensor, got ", dtype);
}
template <class Fn>
void visit_number(DType dtype, Fn fn) {
  if (is_float(dtype))
    visit_float(dtype, fn);
  else
    visit_integer(dtype, fn);
}
template <class Fn>
void visit_complex(DType dtype, Fn fn) {
  if (!detail::visit_any_of<Fn, std::complex<float>, std::complex<double>>(dtype, fn))
    fail("expected a complex tensor, got ", dtype);
}
template <class Fn>
void visit_index(DType dtype, Fn fn) {
  if (!detail::visit_any_of<Fn, std::int32_t, std::int64_t>(dtype, fn)) fail("expected i32 or i64, got ", dtype);
}
template <class Fn>
void visit_any(DType dtype, Fn fn) {
  if (dtype == DType::boolean)
    fn(bool{});
  else if (is_complex(dtype))
    visit_complex(dtype, fn);
  else
    visit_number(dtype, fn);
}

}  // namespace plumb::ir
