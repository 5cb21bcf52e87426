// Writes down what is done with recorded numbers.
// Optimised: it loops over elements or terms.
#include "parity/element/tape.hpp"

#include <array>

namespace plumb::parity::element {
namespace {

thread_local constinit Tape* recorded_on = nullptr;

using Kind = Step::Kind;

Real made(long double value, Step step) {
  step.value = static_cast<double>(value);
  return {value, 0, recorded_on->add(step)};
}

/// The result of a step with two operands; `by` has its derivatives.
Real of_two(Kind kind, const Real& a, const Real& b, long double value, std::array<long double, 2> by, int ulps = 0) {
  return made(value, {.kind = kind,
                      .ulps = static_cast<std::uint8_t>(ulps),
                      .a = recorded_on->step_of(a),
                      .b = recorded_on->step_of(b),
                      .by_a = static_cast<double>(by[0]),
                      .by_b = static_cast<double>(by[1])});
}

/// The slope of a function at x; 0 at infinities.
template <class F>
double slope_of(const F& f, long double x) {
  if (!std::isfinite(x)) return 0;
  const long double near = 0x1p-24L * (std::fabs(x) > 1 ? std::fabs(x) : 1);
  return static_cast<double>((f(x + near) - f(x - near)) / (2 * near));
}

}  // namespace

std::uint32_t Tape::add(const Step& step) {
  if (steps_.size() > most_) throw NoAnswer{};
  steps_.push_back(step);
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

Real Tape::operand(std::size_t operand, std::int64_t index, long double value) {
  return {value, 0,
          add({.kind = Kind::operand,
               .a = static_cast<std::uint32_t>(operand),
               .b = static_cast<std::uint32_t>(index),
               .value = static_cast<double>(value)})};
}

std::uint32_t Tape::step_of(const Real& x) {
  if (x.step != 0) return x.step;
  return add({.kind = Kind::constant, .value = static_cast<double>(x.value), .error = static_cast<double>(x.off)});
}

std::vector<double> Tape::adjoints(std::uint32_t of) const {
  std::vector<double> by(std::size_t{of} + 1, 0);
  by[of] = 1;
  for (std::uint32_t at = of; at > 0; --at) {
    const Step& step = steps_[at];
    if (step.kind == Kind::operand || by[at] == 0) continue;
    if (step.by_a != 0) by[step.a] += by[at] * step.by_a;
    if (step.by_b != 0) by[step.b] += by[at] * step.by_b;
  }
  return by;
}

Recording::Recording(Tape& tape) : before_(recorded_on) { recorded_on = &tape; }
Recording::~Recording() { recorded_on = before_; }
Tape* Recording::tape() { return recorded_on; }

namespace recorded {

Real sum(const Real& a, const Real& b) { return of_two(Kind::add, a, b, a.value + b.value, {1, 1}); }

Real product(const Real& a, const Real& b) {
  return of_two(Kind::multiply, a, b, a.value * b.value, {b.value, a.value});
}

Real quotient(const Real& a, const Real& b) {
  const long double y = a.value / b.value;
  return of_two(Kind::divide, a, b, y, {1 / b.value, -y / b.value});
}

Real negated(const Real& x) { return made(-x.value, {.kind = Kind::negate, .a = x.step, .by_a = -1}); }

Real magnitude(const Real& x) {
  return made(std::fabs(x.value), {.kind = Kind::magnitude, .a = x.step, .by_a = x.value < 0 ? -1.0 : 1.0});
}

Real chosen(const Real& x) { return made(x.value, {.kind = Kind::choice, .a = recorded_on->step_of(x), .by_a = 1}); }

Real of_function(Function f, const Real& x, int ulps) {
  return made(
      f(x.value),
      {.kind = Kind::function, .ulps = static_cast<std::uint8_t>(ulps), .a = x.step, .by_a = slope_of(f, x.value)});
}

Real of_function(long double (*f)(long double, long double), const Real& a, const Real& b, int ulps) {
  const double by_a = slope_of([&](long double x) { return f(x, b.value); }, a.value);
  const double by_b = slope_of([&](long double x) { return f(a.value, x); }, b.value);
  return of_two(Kind::function, a, b, f(a.value, b.value), {by_a, by_b}, ulps);
}

}  // namespace recorded

Real weight_within(Real x, int roundoffs) {
  if (recorded_on == nullptr) return x;
  return made(x.value, {.kind = Kind::weight, .error = static_cast<double>(roundoffs)});
}

void Sum::record(const Real& term, bool is_behind) {
  const auto write = [this](Kind kind, const Real& x, long double so_far) {
    const std::uint32_t step = recorded_on->step_of(x);
    terms_ = recorded_on->add({.kind = kind,
                               .a = terms_,
                               .b = step,
                               .value = static_cast<double>(so_far),
                               .by_a = 1,
                               .by_b = 1,
                               .place = kind == Kind::behind ? 0 : places_++});
  };
  if (terms_ == 0 && value_ != 0) write(Kind::term, Real(value_, off_), value_);
  const bool is_nothing = term.step == 0 && term.value == 0;
  if (!is_nothing) write(is_behind ? Kind::behind : Kind::term, term, value_ + term.value);
}

Real Sum::recorded_total() const {
  return made(value_, {.kind = Kind::total, .a = terms_, .by_a = 1, .place = places_, .sum = name_});
}

}  // namespace plumb::parity::element
