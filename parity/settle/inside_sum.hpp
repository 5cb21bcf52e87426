#pragma once

#include <string_view>

#include "parity/bounds/error_model.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::settle {

/// One of the sums inside of an op, as its kernel makes it.
class InsideSum {
 public:
  /// The sum of this name; `exact_terms`: its terms are numbers of the accumulator's type, or products that are.
  InsideSum(const bounds::Node& node, ir::SumName name, bool exact_terms);

  /// The error of Σ terms by chance, and in any order of rounding.
  sums::ElementLimit error(const element::terms::ElementSum& sum) const {
    return sums::limit_of(sum, arithmetic_, lambda_);
  }
  /// Its error by chance if its terms creep as well.
  double wide_error(const element::terms::ElementSum& sum) const;

  /// Σ a·b in f32 in the kernel's order; nothing where its record leaves something open, or it is no sum of f32's.
  /// Results are not held to the very bits of it (verdict.md V21): lanes meet in the order of their numbers, and a
  /// compensated sum is the sum rounded once.
  std::optional<float> replay(std::span<const float> a, std::span<const float> b, bool fused) const;
  std::optional<float> replay(std::span<const float> terms, bool fused) const;

  /// Whether the kernel goes on with the sum as two numbers.
  bool is_pair() const { return arithmetic_.sum && !arithmetic_.sum->is_rounded; }
  /// Terms after which a running maximum may scale the sum; 0: never.
  std::int64_t rescale() const { return arithmetic_.sum ? arithmetic_.sum->rescale : 0; }

 private:
  sums::Arithmetic arithmetic_;
  double lambda_;
};

}  // namespace plumb::parity::settle
