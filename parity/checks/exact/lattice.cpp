#include "parity/checks/exact/lattice.hpp"

#include <bit>
#include <cmath>

#include "ir/convert.hpp"

namespace plumb::parity::checks::exact {
namespace {

/// The exponent of the lowest set bit of a finite x that is not 0.
int lowest_bit(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);  // in [1/2, 1), 53 bits
  const auto whole = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + std::countr_zero(whole);
}

/// Gathers a lattice number by number.
struct Gather {
  bool any = false, finite = true;
  int grain = 0;
  double most = 0;

  void add(double x) {
    if (x == 0) return;
    if (!std::isfinite(x)) {
      finite = false;
      return;
    }
    const int bit = lowest_bit(x);
    grain = any ? std::min(grain, bit) : bit;
    any = true;
    most = std::max(most, std::abs(x));
  }
  Lattice lattice() const { return {any ? grain : 0, std::ldexp(most, any ? -grain : 0), finite}; }
};

}  // namespace

Lattice lattice_of(const ir::TensorView& x) {
  Gather gather;
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    if constexpr (ir::is_complex(ir::dtype_of<T>))
      for (const T value : x.as<T>()) {
        gather.add(double(value.real()));
        gather.add(double(value.imag()));
      }
    else
      for (const T value : x.as<T>()) gather.add(ir::convert_value<double>(value));
  });
  return gather.lattice();
}

Lattice lattice_of(double x) {
  Gather gather;
  gather.add(x);
  return gather.lattice();
}

bool fits(const ir::TensorView& x, ir::DType dtype) {
  const ir::Tensor again = ir::convert(ir::convert(x, dtype), x.dtype());
  const std::span parts(reinterpret_cast<const double*>(x.bytes().data()), x.bytes().size() / sizeof(double));
  const std::span rounded(reinterpret_cast<const double*>(again.bytes().data()), parts.size());
  return std::ranges::equal(parts, rounded);
}

}  // namespace plumb::parity::checks::exact
