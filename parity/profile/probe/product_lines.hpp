#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parity/profile/probe/trees.hpp"

namespace plumb::parity::profile::probe {

/// How sums are put into a product of given shapes: each is a row of a, or a column of b, and all lines of the other
/// operand are alike.
class ProductLines {
 public:
  /// Nothing where the product has no lines to put them into: no terms, or batches that are broadcast.
  static std::optional<ProductLines> of(const ProductPlace& place);

  std::int64_t terms() const { return terms_; }
  std::size_t lines() const { return lines_; }
  bool has_rows() const { return by_rows_; }  ///< lines are rows of a

  /// A product of which line l has these terms, and whose other operand has `others`. Lines that are not given are 0.
  core::Trial trial(std::span<const std::vector<float>> lines, std::span<const float> others) const;
  /// The sum of each line; nothing where those of one line differ in a bit, or where the result is of another type.
  std::optional<std::vector<float>> sums_in(const core::TrialEnd& end, std::size_t count) const;

 private:
  explicit ProductLines(ProductPlace place) : place_(std::move(place)) {}

  /// A matrix operand: `lines` lines of terms, whose terms are neighbours or not.
  struct Side {
    std::size_t lines, per_batch;
    bool terms_are_last;
  };

  ir::Tensor operand(std::size_t which, const Side& side, std::span<const std::vector<float>> lines) const;

  ProductPlace place_;
  std::int64_t terms_ = 0;
  std::size_t lines_ = 0, rows_ = 0, columns_ = 0, batches_ = 1;
  Side a_{}, b_{};
  bool by_rows_ = true;
};

}  // namespace plumb::parity::profile::probe
