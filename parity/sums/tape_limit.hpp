// Limits of one element from the roundings of the steps of its element program.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "parity/element/tape.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::sums {

/// How the steps of an element program round in a kernel.
class StepArithmetic {
 public:
  /// How the sum of a name is made; `exact_products`: its products are numbers of the accumulator's type, if it has
  /// any.
  using OfSum = std::function<Arithmetic(ir::SumName name, bool exact_products)>;

  /// `unit`: unit roundoff of what is computed in; `lambda`: standard deviations that are allowed for.
  StepArithmetic(double unit, double lambda, OfSum of_sum) : unit_(unit), lambda_(lambda), of_sum_(std::move(of_sum)) {}

  double unit() const { return unit_; }
  double lambda() const { return lambda_; }
  const Arithmetic& of_sum(ir::SumName name, bool exact_products);

 private:
  double unit_, lambda_;
  OfSum of_sum_;
  std::map<std::pair<ir::SumName, bool>, Arithmetic> known_;
};

/// How far a recorded number may be off, before it is stored, to first order: every step rounds once, functions as the
/// contract has them, sums along their trees, on the mean over the orders of their terms; what a step is off counts
/// times its adjoint. By chance the largest errors of single steps are all they can be, and the rest and those of sums
/// are λσ together: the number of the former is that which allows least. Nothing where a sum has no name or is cut off,
/// or where there is none.
std::optional<ElementLimit> limit_of(const element::Tape& tape, const element::Real& y, StepArithmetic& arithmetic);

}  // namespace plumb::parity::sums
