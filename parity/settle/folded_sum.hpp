#pragma once

#include <cmath>

#include "parity/settle/summing.hpp"

namespace plumb::parity::settle {

/// A convolution with a norm of known statistics behind it, as a kernel may compute both: with the norm's factor in the
/// filters, rounded, and its shift as the bias. Its terms have other bits than those of the convolution, and round
/// elsewhere: what was exact no longer is, what was lost need not be.
class FoldedSum {
 public:
  /// The sum of an element with the folded filters and bias.
  element::terms::ElementSum at(std::size_t i) const { return summing_.at(i); }

  /// How far an element of the convolution itself may be off where its kernel adds these terms: as far as a limit of
  /// theirs allows, and as far as rounding the filters and the bias moved the sum.
  ///
  /// `limit_of` has a limit of a sum of products, `written` is what the element sums by the graph.
  template <class LimitOf>
  sums::ElementLimit limit(std::size_t i, const element::terms::ElementSum& written, const LimitOf& limit_of) const {
    const std::size_t channel = i / inner_ % factors_.size();
    const double factor = factors_[channel];
    if (factor == 0) return {};  // whatever the sum is
    const element::terms::ElementSum folded = summing_.at(i);
    double moved = shift_off_[channel];
    for (std::size_t k = 0; k < folded.terms.size(); ++k)
      moved += folded.terms[k].value() - factor * written.terms[k].value();
    const sums::ElementLimit own = limit_of(folded);
    const double off = std::abs(moved), size = std::abs(factor);
    if (!std::isfinite(off + own.probable + own.certain)) return {};  // beyond the range: no finite result comes of it
    return {(own.probable + off) / size, (own.certain + off) / size, (own.fixed + off) / size};
  }

 private:
  FoldedSum(Summing summing, std::vector<double> factors, std::vector<double> shift_off, std::size_t inner)
      : summing_(std::move(summing)), factors_(std::move(factors)), shift_off_(std::move(shift_off)), inner_(inner) {}
  friend std::optional<FoldedSum> folded_sum(const Subject& subject, const ir::Feeds& fed, const Summing& summing);

  Summing summing_;                ///< the convolution by the folded filters and bias
  std::vector<double> factors_;    ///< the norm's, by channel
  std::vector<double> shift_off_;  ///< the change of the folded bias by rounding it, by channel
  std::size_t inner_;              ///< elements of a channel of an image
};

/// Whether a kernel may have folded a norm behind this node into its factors.
bool may_be_folded(const ir::Graph& graph, const ir::Node& sum);

/// The sum as it is then, in f32; nothing where nothing can be folded. `fed` is what the segment was fed, widened.
std::optional<FoldedSum> folded_sum(const Subject& subject, const ir::Feeds& fed, const Summing& summing);

}  // namespace plumb::parity::settle
