// Puts terms where the tree of a kernel expects them that takes them in another order.
#include "parity/sums/orders.hpp"

#include <algorithm>

namespace plumb::parity::sums {
namespace {

/// How lanes share out terms: pieces of `width` neighbours, lane by lane.
struct Sharing {
  std::int64_t width, lanes;
  std::int64_t outer = 1;  ///< groups of lanes that are neighbours; 1: lanes are numbered as the tree does
};

/// The terms so that every lanes-th of them is a lane's; zeros stand for those that the last pieces lack.
std::vector<double> arranged(std::span<const double> terms, const Sharing& by) {
  const auto count = static_cast<std::int64_t>(terms.size()), at_once = by.width * by.lanes;
  std::vector<double> moved(static_cast<std::size_t>((count + at_once - 1) / at_once * at_once));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t lane = k % at_once / by.width, inner = by.lanes / by.outer;
    const std::int64_t at = lane % inner * by.outer + lane / inner;
    const std::int64_t place = k / at_once * at_once + k % by.width * by.lanes + at;
    moved[static_cast<std::size_t>(place)] = terms[static_cast<std::size_t>(k)];
  }
  return moved;
}

}  // namespace

bool is_rearranged(const ir::Sum& sum) {
  return sum.order == "pieces" || sum.order == "shuffled" || sum.order == "shuffled_pieces";
}

Tree::Roundings larger(const Tree::Roundings& a, const Tree::Roundings& b) {
  return {std::max(a.variance, b.variance), std::max(a.vanished, b.vanished)};
}

Tree::Roundings rearranged_roundings(const ir::Sum& sum, std::span<const double> terms, const Additions& additions) {
  std::int64_t lanes = 1, outer = 1;
  for (const ir::SumLevel& level : sum.levels)
    if (level.take == ir::SumTake::every && level.count > 0) lanes *= level.count, outer = level.count;
  const bool has_pieces = sum.order != "shuffled", is_shuffled = sum.order != "pieces";
  Tree::Roundings most;
  for (const std::int64_t width : {1, 2, 4, 8}) {
    if (width > 1 && !has_pieces) break;
    for (const std::int64_t groups : {std::int64_t{1}, outer}) {
      if (groups > 1 && !is_shuffled) continue;
      const std::vector<double> moved = arranged(terms, {.width = width, .lanes = lanes, .outer = groups});
      const Tree tree(sum.levels, static_cast<std::int64_t>(moved.size()), additions.terms_are_numbers);
      most = larger(most, tree.roundings(moved, additions));
    }
  }
  return most;
}

}  // namespace plumb::parity::sums
