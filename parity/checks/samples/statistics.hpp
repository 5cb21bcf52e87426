#pragma once

#include "parity/cases/statistics.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::checks::samples {

/// A sample of an output that is one sum an element: 16 × 16 neighbouring elements, or 256 where there are no rows of
/// 16 (verdict.md V40). The limits of their roundings are known before any result is looked at, so that power judges
/// planted faults by the very numbers that verify judges by.
class RoundingSample {
 public:
  /// Nothing where the segment is no bare sum in f32 or a narrower type, where its kernel does not say that it rounds
  /// to nearest, where its sums are compensated, or where fewer than 128 elements have significands of their own.
  static std::optional<RoundingSample> of(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                          Draws draws);

  /// How a result rounds; its finding is that of V47 to V50.
  cases::Statistics judge(const ir::TensorView& got) const;

 private:
  struct Element {
    std::size_t index;
    double truth, sigma;  ///< sigma: √σ² of its own terms along the published tree
    double squares;       ///< √Σp²
  };
  RoundingSample(std::shared_ptr<const settle::Summing> bare, const ir::Sum& sum, ir::DType dtype)
      : bare_(std::move(bare)), sum_(sum), dtype_(dtype) {}
  void take(std::span<const double> truth, const std::vector<std::size_t>& places);
  bool take_neighbours(std::size_t first, std::span<Element> piece) const;
  void take_element(Element& one) const;
  std::string gate(const cases::Statistics& found, std::span<const double> got) const;
  /// Whether chance speaks for how the terms of the sample are rounded, and the mean of their creep over σ, by the sign
  /// of the sum.
  struct Chance {
    bool speaks = false;
    double drift = 0;
  };
  Chance chance() const;
  bool equals_replays(std::span<const double> got) const;

  std::shared_ptr<const settle::Summing> bare_;
  ir::Sum sum_;  ///< as the kernel published it
  ir::DType dtype_;
  std::vector<Element> elements_;
  mutable std::optional<Chance> chance_;  ///< made when it is first asked for; a sample has one thread
};

}  // namespace plumb::parity::checks::samples
