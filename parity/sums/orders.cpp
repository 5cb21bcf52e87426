// Puts terms where the tree of a kernel expects them that takes them in another order.
#include "parity/sums/orders.hpp"

#include <algorithm>
#include <bit>

#include "ir/kernels/sum_orders.hpp"

namespace plumb::parity::sums {
namespace {

/// How lanes share out terms: pieces of `width` neighbours, lane by lane.
struct Sharing {
  std::int64_t width, lanes;
  std::int64_t outer = 1;         ///< groups of lanes that are neighbours; 1: lanes are numbered as the tree does
  bool neighbours_first = false;  ///< lanes meet neighbours first, where the tree has those first that are half apart
};

/// The number with its bits the other way round, below a power of two.
std::int64_t reversed(std::int64_t number, std::int64_t below) {
  std::int64_t result = 0;
  for (; below > 1; below /= 2, number /= 2) result = 2 * result + number % 2;
  return result;
}

/// The terms so that every lanes-th of them is a lane's; zeros stand for those that the last pieces lack.
std::vector<double> arranged(std::span<const double> terms, const Sharing& by) {
  const auto count = static_cast<std::int64_t>(terms.size()), at_once = by.width * by.lanes;
  std::vector<double> moved(static_cast<std::size_t>((count + at_once - 1) / at_once * at_once));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t lane = k % at_once / by.width, inner = by.lanes / by.outer;
    const std::int64_t at = by.neighbours_first ? reversed(lane, by.lanes) : lane % inner * by.outer + lane / inner;
    const std::int64_t place = k / at_once * at_once + k % by.width * by.lanes + at;
    moved[static_cast<std::size_t>(place)] = terms[static_cast<std::size_t>(k)];
  }
  return moved;
}

/// Where lanes take runs of neighbours: term by term of each, lanes numbered as the tree has them.
std::vector<double> arranged(std::span<const double> terms, const ir::kernels::Runs& by, std::int64_t lanes,
                             std::int64_t outer) {
  const auto count = static_cast<std::int64_t>(terms.size()), inner = lanes / outer;
  const std::int64_t at_once = by.neighbours * by.runs * lanes;
  const std::int64_t stretch = by.runs > 1 ? ir::kernels::Runs::apart : by.neighbours, shared = stretch / by.neighbours;
  std::vector<double> moved(static_cast<std::size_t>((count + at_once - 1) / at_once * at_once));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t within = k % at_once, group = within / (stretch * by.runs),
                       in_group = within % (stretch * by.runs);
    const std::int64_t lane = group * shared + in_group % stretch / by.neighbours;
    const std::int64_t term = in_group / stretch * by.neighbours + in_group % by.neighbours;
    const std::int64_t place = k - within + term * lanes + lane % inner * outer + lane / inner;
    moved[static_cast<std::size_t>(place)] = terms[static_cast<std::size_t>(k)];
  }
  return moved;
}

}  // namespace

bool is_known_order(const ir::Sum& sum) { return ir::kernels::runs_of_order(sum.order).has_value(); }

bool is_rearranged(const ir::Sum& sum) {
  if (is_known_order(sum)) return true;
  return sum.order == "pieces" || sum.order == "shuffled" || sum.order == "shuffled_pieces";
}

Tree::Roundings larger(const Tree::Roundings& a, const Tree::Roundings& b) {
  return {std::max(a.variance, b.variance), std::max(a.vanished, b.vanished)};
}

Tree::Roundings rearranged_roundings(const ir::Sum& sum, std::span<const double> terms, const Additions& additions) {
  std::int64_t lanes = 1, outer = 1, inner = 1;
  for (const ir::SumLevel& level : sum.levels)
    if (level.take == ir::SumTake::every && level.count > 0) {
      inner = lanes;
      lanes *= level.count;
      outer = level.count;
    }
  if (const auto runs = ir::kernels::runs_of_order(sum.order)) {
    const std::vector<double> moved = arranged(terms, *runs, lanes, inner > 1 ? outer : 1);
    const Tree tree(sum.levels, static_cast<std::int64_t>(moved.size()), additions.terms_are_numbers);
    return tree.roundings(moved, additions);
  }
  const bool has_pieces = sum.order != "shuffled", is_shuffled = sum.order != "pieces";
  Tree::Roundings most;
  const auto look_at = [&](const Sharing& sharing) {
    const std::vector<double> moved = arranged(terms, sharing);
    const Tree tree(sum.levels, static_cast<std::int64_t>(moved.size()), additions.terms_are_numbers);
    most = larger(most, tree.roundings(moved, additions));
  };
  for (const std::int64_t width : {1, 2, 4, 8}) {
    if (width > 1 && !has_pieces) break;
    look_at({.width = width, .lanes = lanes});
    if (is_shuffled && outer < lanes) look_at({.width = width, .lanes = lanes, .outer = outer});
    if (is_shuffled && std::has_single_bit(static_cast<std::uint64_t>(lanes)))
      look_at({.width = width, .lanes = lanes, .neighbours_first = true});
  }
  return most;
}

}  // namespace plumb::parity::sums
