#include "parity/compare/difference.hpp"

#include <cmath>
#include <complex>
#include <limits>

namespace plumb::parity::compare {
namespace {

/// Every real number of a tensor: complex elements are two.
std::vector<double> numbers(const ir::TensorView& tensor) {
  std::vector<double> all;
  ir::visit_any(tensor.dtype(), [&]<class T>(T) {
    for (const T& x : tensor.as<T>())
      if constexpr (ir::is_complex(ir::dtype_of<T>)) {
        all.push_back(x.real());
        all.push_back(x.imag());
      } else
        all.push_back(static_cast<double>(x));
  });
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
T sum_with_error(T truth, T here, T got) {
  if constexpr (std::is_same_v<T, bool>) {
    return truth != (got != here);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(truth) + static_cast<std::uint64_t>(got) -
                          static_cast<std::uint64_t>(here));
  } else if constexpr (ir::is_complex(ir::dtype_of<T>)) {
    return {sum_with_error(truth.real(), here.real(), got.real()),
            sum_with_error(truth.imag(), here.imag(), got.imag())};
  } else {
    const double y = static_cast<double>(here), c = static_cast<double>(got);
    if (std::isfinite(c - y)) return T(static_cast<double>(truth) + (c - y));
    const bool same = c == y || (std::isnan(c) && std::isnan(y));
    return same ? truth : got;
  }
}

}  // namespace

Difference::Difference(const ir::TensorView& from, const ir::TensorView& to) : finite_(numbers(from)) {
  const auto theirs = numbers(to);
  special_.resize(finite_.size());
  for (std::size_t i = 0; i < finite_.size(); ++i) {
    const double x = finite_[i], y = theirs[i];
    finite_[i] = std::isfinite(x) && std::isfinite(y) ? y - x : 0;
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    special_[i] = !same && !(std::isfinite(x) && std::isfinite(y)) ? 1 : 0;
    is_special_ |= special_[i] > 0;
  }
}

double Difference::squares() const { return dot(parts(is_special_), parts(is_special_)); }

double Difference::part_of(const Difference& whole) const {
  const double all = whole.squares();
  if (!(all > 0)) return std::numeric_limits<double>::quiet_NaN();
  return dot(parts(whole.is_special_), whole.parts(whole.is_special_)) / all;
}

ir::Tensor with_error(const ir::TensorView& truth, const ir::TensorView& here, const ir::TensorView& got) {
  ir::Tensor sum(truth.type());
  ir::visit_any(truth.dtype(), [&]<class T>(T) {
    const auto x = truth.as<T>(), y = here.as<T>(), c = got.as<T>();
    const auto out = sum.as<T>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sum_with_error(T(x[i]), T(y[i]), T(c[i]));
  });
  return sum;
}

}  // namespace plumb::parity::compare
