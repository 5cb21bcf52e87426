#pragma once

#include <optional>
#include <vector>

#include "parity/element/terms/terms.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The products that the elements of an output are: what an order of their factors can make of them by leaving the
/// range of the type they are computed in (verdict.md V33).
class ProductRange {
 public:
  /// Nothing where output `k` is not that of one node that multiplies numbers along an axis.
  static std::optional<ProductRange> of(const Subject& subject, std::size_t k);

  /// Whether some order makes `got` of the factors of element `i`: an infinity takes the factors above 1 beyond the
  /// range, a 0 those below 1 to nothing, a NaN both, and another number needs a partial product that is subnormal, and
  /// that the factors above 1 make so large. Signs are lost in no order. Of complex factors, whose sizes decide, `got`
  /// is either part: a part of a product may be NaN without a factor below 1, and has the sign that it has.
  bool explains(std::size_t i, double got) const;

 private:
  /// Whether some of the factors, given by their logarithms, have a product that is subnormal; `below`: of all below 1.
  bool has_small_product(const std::vector<double>& factors, double below, double margin) const;

  std::vector<ir::Tensor> operands_;
  bool is_complex_ = false;
  std::optional<element::terms::Walker> walker_;
  /// Logarithms of base 2: of what is beyond the range, of the smallest normal number, below what a number rounds to 0,
  /// and below what it may be 0.
  double overflow_ = 0, smallest_normal_ = 0, least_ = 0, vanishing_ = 0;
};

}  // namespace plumb::parity::settle
