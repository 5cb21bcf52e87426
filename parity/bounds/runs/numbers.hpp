#pragma once

#include <algorithm>
#include <complex>
#include <span>

#include "ir/tensor.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::bounds::runs {

/// Real numbers of a widened tensor: complex ones are two each.
inline std::span<double> numbers(ir::Tensor& x) {
  if (x.dtype() == ir::DType::f64) return x.as<double>();
  const auto parts = x.as<std::complex<double>>();
  return {reinterpret_cast<double*>(parts.data()), 2 * parts.size()};
}
inline std::span<const double> numbers(const ir::Tensor& x) { return numbers(const_cast<ir::Tensor&>(x)); }

inline bool is_real_or_complex(const ir::Tensor& x) {
  return x.dtype() == ir::DType::f64 || x.dtype() == ir::DType::c128;
}

/// Calls `work` for every index below `count`, many at once.
template <class Work>
void for_each_number(std::size_t count, const Work& work) {
  constexpr std::size_t piece_size = 16384;
  const std::size_t pieces = (count + piece_size - 1) / piece_size;
  core::for_each_piece(pieces, core::workers_for(pieces), [&](std::size_t piece, std::size_t) {
    for (std::size_t i = piece * piece_size; i < std::min(count, (piece + 1) * piece_size); ++i) work(i);
  });
}

}  // namespace plumb::parity::bounds::runs
