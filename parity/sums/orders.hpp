// Sums whose kernels take the terms in another order than the contract's.
#pragma once

#include "parity/sums/tree.hpp"

namespace plumb::parity::sums {

/// Whether lanes take terms by the piece, or meet their neighbours first: what its tree says of "every" is then not of
/// the terms in the order of the contract.
bool is_rearranged(const ir::Sum& sum);

/// Whether it is one that says all of where terms are.
bool is_known_order(const ir::Sum& sum);

/// The roundings of the terms in the orders that a kernel with this record may take them in, the largest of each: a
/// record says that there are pieces, not how wide they are, and shuffled lanes meet their neighbours first, all of
/// them or those of each subgroup, or do not (verdict.md V17, V19).
Tree::Roundings rearranged_roundings(const ir::Sum& sum, std::span<const double> terms, const Additions& additions);

/// The larger of each.
Tree::Roundings larger(const Tree::Roundings& a, const Tree::Roundings& b);

}  // namespace plumb::parity::sums
