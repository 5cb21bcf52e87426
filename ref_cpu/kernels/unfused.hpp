// Products that stay rounded, whatever sum is behind them.
#pragma once

namespace plumb::ref_cpu::kernels {

/// The product of two real numbers, rounded. g++ 12 makes one rounding of a product and a sum where a·b - c·d stands
/// beside a·d + b·c, although it is told to fuse nothing (-ffp-contract=off): a result would depend on the machine, and
/// one beyond the range would be infinite instead of NaN.
template <class T>
inline T unfused_product(T a, T b) {
#if __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(a * b);
#else
  return a * b;
#endif
}

/// The product of two complex numbers by the plain formula, without C's recovery of infinities from NaN.
template <class Z>
inline Z complex_product(Z a, Z b) {
  return Z(unfused_product(a.real(), b.real()) - unfused_product(a.imag(), b.imag()),
           unfused_product(a.real(), b.imag()) + unfused_product(a.imag(), b.real()));
}

}  // namespace plumb::ref_cpu::kernels
