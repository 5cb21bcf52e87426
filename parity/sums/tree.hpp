#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/sums.hpp"
#include "parity/compare/elements/chains.hpp"

/// Sums as kernels add them (verdict.md 2 and 3): which partial sums are rounded on the way, and what that allows.
namespace plumb::parity::sums {

/// How the additions of a sum round.
struct Additions {
  double unit = 0x1p-24;          ///< unit roundoff of the accumulator
  double subnormal = 0x1p-149;    ///< spacing of its subnormal numbers
  bool products_round = true;     ///< a product is rounded before it is added
  bool terms_are_numbers = true;  ///< every term that is added is a number of the accumulator's type
  double flushed = 0;             ///< partial sums below this may be 0 instead; 0: none
};

/// The tree of a sum: each rounded addition is a node of it, with the terms below it.
class Tree {
 public:
  /// `levels` as ir::Sum has them, innermost first; none: one chain. Levels that leave open which terms an item takes
  /// share them out evenly.
  Tree(std::span<const ir::SumLevel> levels, std::int64_t terms, bool terms_are_numbers = true);

  /// Totals of the sizes n_v of the nodes, K being the number of terms.
  struct Sizes {
    double nodes = 0;
    double total = 0;    ///< Σ n_v
    double squares = 0;  ///< Σ n_v²
    double depth = 0;    ///< the most nodes between a term and the root
  };
  const Sizes& sizes() const { return sizes_; }
  /// R² = α y² + β (Σp² − y²/K), the mean of Σ s_v² over all orders of the terms (verdict.md V14).
  double alpha() const;
  double beta() const;

  /// The roundings of additions of these terms, in the order of the contract.
  struct Roundings {
    double variance = 0;  ///< Σ_v of the squared error of node v, and of those of products (verdict.md V13)
    double vanished = 0;  ///< loss from partial sums that are flushed to 0 (verdict.md V35)
  };
  Roundings roundings(std::span<const double> terms, const Additions& additions) const;
  double variance(std::span<const double> terms, const Additions& additions) const {
    return roundings(terms, additions).variance;
  }

  std::int64_t terms() const { return terms_; }

  /// Roundings along the tree that such levels make, where nothing else need be known of it.
  static Roundings roundings(std::span<const ir::SumLevel> levels, std::span<const double> terms,
                             const Additions& additions);
  /// The variances of several elements at once, of which terms[k * side_by_side + l] is term k of the l-th.
  static constexpr std::size_t side_by_side = compare::elements::chains_at_once;
  static std::array<double, side_by_side> variances(std::span<const ir::SumLevel> levels, std::span<const double> terms,
                                                    const Additions& additions);

 private:
  std::vector<ir::SumLevel> levels_;
  std::int64_t terms_;
  Sizes sizes_;
};

/// The roundings of a running sum, element after element of its line: where the outermost level is one chain of items
/// that take as many neighbours each, elements have the items before theirs in common.
class RunningTree {
 public:
  static bool is_known(std::span<const ir::SumLevel> levels);

  /// For such levels; `terms` are those of the whole line and no products, and must outlive this.
  RunningTree(std::span<const ir::SumLevel> levels, std::span<const double> terms, const Additions& additions);

  /// Those of the sum of the first `count` terms, as Tree has them; `count` must not fall from call to call.
  Tree::Roundings roundings(std::int64_t count);
  /// How many terms were added for that so far, over all calls.
  std::uint64_t walked() const { return walked_; }

 private:
  std::vector<ir::SumLevel> levels_;
  std::span<const double> terms_;
  Additions additions_;
  std::int64_t length_;      ///< terms of an item
  std::int64_t joined_ = 0;  ///< items that are in what follows
  double so_far_ = 0;
  Tree::Roundings found_ = {};
  std::uint64_t walked_ = 0;
};

/// How many terms an item of level `level` takes, of neighbouring ones, by the levels below it; 0: as many as there
/// are.
std::int64_t capacity_of(std::span<const ir::SumLevel> levels, std::size_t level);

/// The trees that stand for one that nobody published: a chain, its reverse, chunks, lanes, pairs (verdict.md V17).
/// Their largest roundings of these terms.
Tree::Roundings largest_roundings(std::span<const double> terms, const Additions& additions);

}  // namespace plumb::parity::sums
