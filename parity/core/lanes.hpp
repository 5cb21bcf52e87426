#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Numbers side by side in vector registers, in types that g++ and clang have for every machine: where registers are
/// narrower they take several. Sums over lanes have one order whatever the machine. They are passed by reference:
/// how one is passed by value depends on the machine.
namespace plumb::parity::core {

inline constexpr std::size_t lanes = 8;

using f64x8 [[gnu::vector_size(64)]] = double;
using i64x8 [[gnu::vector_size(64)]] = std::int64_t;  ///< -1 or 0 by lane: what comparisons give

[[gnu::always_inline]] inline void load(f64x8& to, const double* from) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void store(double* to, const f64x8& from) { std::memcpy(to, &from, sizeof from); }

[[gnu::always_inline]] inline void set_magnitude(f64x8& size, const f64x8& of) {
  size = reinterpret_cast<f64x8>(reinterpret_cast<i64x8>(of) & INT64_MAX);
}
/// NaN is passed over.
[[gnu::always_inline]] inline void raise(f64x8& most, const f64x8& other) { most = most < other ? other : most; }

inline double sum(const f64x8& of) {
  double all = 0;
  for (std::size_t l = 0; l < lanes; ++l) all += of[l];
  return all;
}
inline double largest(const f64x8& of) {
  double most = of[0];
  for (std::size_t l = 1; l < lanes; ++l) most = most < of[l] ? of[l] : most;
  return most;
}
/// In how many places a comparison held, of masks that were taken away from 0.
inline std::uint64_t count(const i64x8& taken) {
  std::int64_t all = 0;
  for (std::size_t l = 0; l < lanes; ++l) all += taken[l];
  return static_cast<std::uint64_t>(all);
}

}  // namespace plumb::parity::core
