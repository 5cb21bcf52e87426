#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "ir/dtype.hpp"
#include "ir/sums.hpp"

/// One element of a result, by the definition of its op (verdict.md V57). Oracles are written from the contract and use
/// only the types, shapes and attributes of the layer ir (verdict.md V58): a defect in a helper that both executors use
/// is not here.
namespace plumb::parity::element {

/// Thrown where nothing can be said of an element: it hangs on a decision that an evaluation in f64 may take either
/// way, asks for more work than it may cost, or has no truth.
struct NoAnswer {};

/// A number, and how far off an evaluation in f64 may be that takes the same steps: every step adds half a unit in the
/// last place of f64, or what its function is good to, to what its operands bring along (running error analysis:
/// Higham, "Accuracy and Stability of Numerical Algorithms", section 3.3). The number itself has the 64 bits of
/// long double, so that its own error is a 2048th of that, which is allowed for. Whole numbers of 64 bits are exact.
struct Real {
  long double value = 0, off = 0;
  std::uint32_t step = 0;  ///< the step on the tape that records it (tape.hpp); 0: none does

  Real() = default;
  Real(long double exact, long double uncertainty = 0, std::uint32_t recorded = 0)
      : value(exact), off(uncertainty), step(recorded) {}
};

/// A number of any dtype; the imaginary part of what is not complex is 0.
struct Number {
  Real re, im;

  Number() = default;
  Number(Real real, Real imaginary = {}) : re(real), im(imaginary) {}
};

/// Relative error of one rounding to f64 and of one to long double, together.
inline constexpr long double roundoff =
    (std::numeric_limits<double>::epsilon() + std::numeric_limits<long double>::epsilon()) / 2;

/// A result as f64 has it: what is beyond its range is infinite.
Real in_range(Real y);
/// A result that is rounded once, and off by `carried` besides, as f64 has it.
inline Real rounded(long double y, long double carried) {
  constexpr long double least = std::numeric_limits<double>::denorm_min();
  const long double size = std::fabs(y), off = carried + roundoff * size + least;
  if (size + off <= std::numeric_limits<double>::max()) return {y, off};
  return std::isfinite(y) ? in_range({y, off}) : Real(y);
}

using Function = long double (*)(long double);

/// Arithmetic that is written down, of numbers of which one is recorded.
namespace recorded {

Real sum(const Real& a, const Real& b);
Real product(const Real& a, const Real& b);
Real quotient(const Real& a, const Real& b);
Real negated(const Real& x);
Real magnitude(const Real& x);
/// The one of several numbers that was chosen.
Real chosen(const Real& x);
Real of_function(Function f, const Real& x, int ulps);
Real of_function(long double (*f)(long double, long double), const Real& a, const Real& b, int ulps);

}  // namespace recorded

inline bool is_recorded(const Real& a, const Real& b) { return (a.step | b.step) != 0; }

/// The sum of two numbers that nothing was rounded for.
Real exact_sum(Real a, Real b);
inline Real operator+(Real a, Real b) {
  if (is_recorded(a, b)) return recorded::sum(a, b);
  return a.off == 0 && b.off == 0 ? exact_sum(a, b) : rounded(a.value + b.value, a.off + b.off);
}
inline Real operator-(Real a) { return a.step != 0 ? recorded::negated(a) : Real(-a.value, a.off); }
inline Real operator-(Real a, Real b) { return a + -b; }
/// The product of two numbers that nothing was rounded for, or of which one is not finite.
Real special_product(Real a, Real b);
inline Real operator*(Real a, Real b) {
  if (is_recorded(a, b)) return recorded::product(a, b);
  const long double y = a.value * b.value;
  if ((a.off == 0 && b.off == 0) || !std::isfinite(y)) return special_product(a, b);
  return rounded(y, std::fabs(a.value) * b.off + std::fabs(b.value) * a.off + a.off * b.off);
}
Real operator/(Real a, Real b);
Number operator+(Number a, Number b);
Number operator-(Number a, Number b);
Number operator*(Number a, Number b);
Number operator/(Number a, Number b);

Real abs(Real x);
/// NaN where one is NaN.
Real maximum(Real a, Real b);
Real minimum(Real a, Real b);

/// A function that evaluations in f64 have within `ulps` units in the last place.
Real apply(Function f, Real x, int ulps);
/// A function that jumps, such as floor. Throws NoAnswer where x may be on either side of a jump.
Real apply_steps(Function f, Real x);
/// The functions of two arguments alike.
Real apply(long double (*f)(long double, long double), Real a, Real b, int ulps);

/// Error of the C library's functions in f64, in units in the last place (ops.md 3 asks for no less).
inline constexpr int library_ulps = 4;

Real sqrt(Real x);
Real exp(Real x);
Real log(Real x);

/// A weight that every implementation may have off by so many unit roundoffs of 1 (ops.md 9). Its value is as given.
Real weight_within(Real x, int roundoffs);

/// Comparisons, false beside a NaN. They throw NoAnswer where the uncertainty of either number decides.
bool less(Real a, Real b);
bool equal(Real a, Real b);
/// As less, but in the total order of ops.md 1.5: NaN is above everything, and all NaNs are equal.
bool comes_before(Real a, Real b);

/// A sum whose terms may be added in any order.
class Sum {
 public:
  Sum() = default;
  /// One of several sums of an op, by the name under which kernels publish how they make it.
  explicit Sum(ir::SumName name) : name_(name) {}

  void add(Real term) {
    if ((term.step | terms_) != 0) record(term, false);
    take(term);
  }
  /// A term that kernels add behind the sum of the others, such as a bias.
  void add_behind(Real term) {
    if ((term.step | terms_) != 0) record(term, true);
    take(term);
  }
  /// A term that is absent, which kernels count as one of 0.
  void skip() { ++places_; }
  /// A product that may be rounded before it is added. One of two numbers of f32 is a number of f64, never rounded.
  void add(Real a, Real b) {
    if (is_recorded(a, b)) return add(a * b);
    const auto narrow = [](Real x) { return x.off == 0 && static_cast<float>(x.value) == x.value; };
    const long double y = a.value * b.value;
    add(narrow(a) && narrow(b) && std::isfinite(y) ? Real(y) : a * b);
  }
  /// Products of numbers of f32, one after the other.
  void add_products(std::span<const float> a, std::span<const float> b);
  Real total() const;
  std::int64_t count() const { return count_; }

 private:
  void take(const Real& term) {
    ++count_;
    const long double size = std::fabs(term.value);
    value_ += term.value;
    sizes_ += size;
    if (std::isfinite(size)) finite_ += size;
    off_ += term.off;
  }
  /// Writes a term down, and in front of the first what was added before.
  void record(const Real& term, bool is_behind);
  Real recorded_total() const;

  long double value_ = 0, sizes_ = 0, off_ = 0;
  long double finite_ = 0;  ///< sizes of finite terms beside one that is not
  std::int64_t count_ = 0;
  std::uint32_t terms_ = 0;   ///< the step of the last term that is recorded
  std::uint32_t places_ = 0;  ///< terms that are recorded or absent
  std::optional<ir::SumName> name_ = {};
};

/// A sum of complex numbers, by parts.
class ComplexSum {
 public:
  void add(Number term) {
    re_.add(term.re);
    im_.add(term.im);
  }
  Number total() const { return {re_.total(), im_.total()}; }

 private:
  Sum re_, im_;
};

/// A product whose factors may be multiplied in any order. Throws NoAnswer where some order leaves the range of f64.
class Product {
 public:
  void take(Real factor);
  Real total() const;

 private:
  Real value_ = 1.0L;
  long double below_ = 1, above_ = 1;  ///< the products of the factors below and above 1 in size
};

/// An integer modulo 2^w, as the dtype has it.
long double wrapped(ir::DType dtype, std::uint64_t bits);

}  // namespace plumb::parity::element
