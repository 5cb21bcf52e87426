#pragma once

#include <optional>
#include <vector>

#include "parity/element/terms/terms.hpp"
#include "parity/settle/ranges/out_of_range.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The real sums that the parts of complex elements are: of products twice as many as of their operands, re·re − im·im
/// and re·im + im·re (ops.md 1.7), whose terms may leave the range of the type although their sum does not.
class ComplexSums {
 public:
  /// Nothing where output `k` is not that of one node that multiplies or sums complex numbers.
  static std::optional<ComplexSums> of(const Subject& subject, std::size_t k);

  /// The sum that makes the real part of element `i`, or its imaginary one.
  enum class Part { real, imaginary };
  element::terms::ElementSum at(std::size_t i, Part part) const;

 private:
  /// A walker over parts of operands, the real ones or the imaginary ones of each, whose terms are negated or not.
  struct Walk {
    element::terms::Walker walker;
    bool is_negated = false;
  };
  std::vector<ir::Tensor> parts_;  ///< two an operand: its real parts and its imaginary ones, as f64
  std::vector<Walk> real_, imaginary_;
};

/// Sets complex elements of output `k` apart of which a part leaves the range of the type (verdict.md V34). A part that
/// is not finite is excused where the terms of one sign that it sums add up to more than the type holds, and one of a
/// running product where its factors above 1 do; it need not be what C's Annex G would make of it, nor what the plain
/// formula does. A part that is finite has to be right, unless the truth of f64, which has no more range, leaves it as
/// well. An element is apart only if both of its parts are right or excused.
OutOfRange set_complex_out_of_range_apart(const Subject& subject, std::size_t k, const ir::Tensor& truth,
                                          const compare::Allowed& allowed, const ir::TensorView& got);

}  // namespace plumb::parity::settle
