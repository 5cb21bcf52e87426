#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parity/element/real.hpp"

namespace plumb::parity::element {

/// One step by which a number of an element came about.
struct Step {
  enum class Kind : std::uint8_t {
    operand,   ///< element `b` of operand `a`
    constant,  ///< no operand is in it; an evaluation in f64 is off by `error` at most
    weight,    ///< likewise, and the contract lets every implementation be off by `error`, in unit roundoffs
    add,
    multiply,
    divide,
    negate,
    magnitude,
    choice,    ///< a, the larger of two numbers
    function,  ///< a function of a, or of a and b
    term,      ///< b as the term of a sum whose terms so far are a; kernels add it at `place`
    behind,    ///< b as a number that kernels add to such a sum when its terms are summed
    total,     ///< the sum of the terms a; kernels add terms at `place` places, where they are absent zeros
  };

  Kind kind = Kind::constant;
  std::uint8_t ulps = 0;  ///< that an evaluation in f64 has a function within
  std::uint32_t a = 0, b = 0;
  double value = 0;
  double by_a = 0, by_b = 0;  ///< derivatives
  double error = 0;
  std::uint32_t place = 0;
  std::optional<ir::SumName> sum = {};  ///< the name of a total's sum, where the program gives one
};

/// The steps of an element's program, in their order (a Wengert list). Operands that know this tape (operand()) give
/// numbers that write down what is done with them, as long as a Recording of it is there. Nothing is uncertain of
/// these numbers: decisions are taken by their values, and what is outside of f64's range is infinite.
class Tape {
 public:
  /// Throws NoAnswer where a program takes more than `most` steps.
  explicit Tape(std::size_t most = std::numeric_limits<std::uint32_t>::max()) : most_(most) { clear(); }

  void clear() { steps_.assign(1, {}); }
  std::size_t size() const { return steps_.size(); }
  const Step& operator[](std::uint32_t step) const { return steps_[step]; }
  /// The number of an operand's element.
  Real operand(std::size_t operand, std::int64_t index, long double value);
  /// The step of a number, which may be a constant.
  std::uint32_t step_of(const Real& x);

  std::uint32_t add(const Step& step);
  /// The derivatives of a step by all steps up to it.
  std::vector<double> adjoints(std::uint32_t of) const;

 private:
  std::size_t most_;
  std::vector<Step> steps_;  ///< the first is none
};

/// While it is there, what this thread does with recorded numbers is written on a tape.
class Recording {
 public:
  explicit Recording(Tape& tape);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  /// Null where there is none.
  static Tape* tape();

 private:
  Tape* before_;
};

}  // namespace plumb::parity::element
