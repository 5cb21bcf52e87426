// The constraints of random numbers, and the interval of uniform ones as both executors compute with it.
#include "ir/ops/random.hpp"

#include <limits>

namespace plumb::ir::ops {
namespace {

bool fits_integer(double x) { return std::trunc(x) == x && -0x1p63 <= x && x < 0x1p63; }

/// The largest number of T that is below `high`.
template <class T>
double below(double high) {
  if constexpr (sizeof(T) == 2) {
    // Down from the nearest, one pattern of bits at a time: no further than two.
    T number(high);
    while (!(static_cast<double>(number) < high)) {
      constexpr std::uint16_t sign = 0x8000;
      const std::uint16_t bits = number.bits;
      const int next = bits == 0 ? sign | 1 : (bits & sign) != 0 ? bits + 1 : bits - 1;
      number = T::from_bits(static_cast<std::uint16_t>(next));
    }
    return static_cast<double>(number);
  } else {
    const T near = static_cast<T>(high);
    return static_cast<double>(
        static_cast<double>(near) < high ? near : std::nextafter(near, -std::numeric_limits<T>::infinity()));
  }
}

}  // namespace

TensorTypes Random::infer(Types in) const {
  using enum RandomDistribution;
  const auto has = [&](RandomDistribution kind) { return distribution == kind; };
  check(*this, 1, !has(bits) || dtype == DType::u32, "dtype is ", dtype);
  if (has(uniform) || has(normal)) {
    check(*this, 2, is_float(dtype), "dtype is ", dtype);
    check(*this, 2, has(normal) || real(low) <= real(high), "low is ", real(low), ", high is ", real(high));
    check(*this, 2, has(uniform) || real(scale) >= 0, "scale is ", real(scale));
  }
  if (has(uniform_int)) {
    check(*this, 3, dtypes::I.contains(dtype), "dtype is ", dtype);
    check(*this, 3, fits_integer(low) && fits_integer(high) && high - low >= 1 && high - low < 0x1p32, "low is ", low,
          ", high is ", high);
  }
  if (has(bernoulli)) {
    check(*this, 4, dtype == DType::boolean || dtypes::N.contains(dtype), "dtype is ", dtype);
    check(*this, 4, probability >= 0 && probability <= 1, "probability is ", probability);
  }
  check(*this, 5, stream >= 0 && stream < std::int64_t{1} << 32, "stream is ", stream);
  check(*this, 6, in.empty() || in[0].shape.rank() == 0, "offset is ", in.empty() ? TensorType{} : in[0]);
  return {{dtype, Shape(shape)}};
}

Random::Interval Random::interval() const {
  Interval made{real(low), 0, real(high)};
  visit_float(dtype, [&]<class T>(T) {
    made.width = real(real(high) - real(low));
    if (made.low < made.most) made.most = below<T>(real(high));
  });
  return made;
}

}  // namespace plumb::ir::ops
