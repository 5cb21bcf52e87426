#pragma once

#include "parity/compare/elements/chains.hpp"

namespace plumb::parity::compare {

/// Sums side by side (elements/chains.hpp), as they are compiled for this processor.
void multiply_chains(const elements::ProductsSideBySide& of, double* products, elements::SideBySide& squares,
                     elements::SideBySide& smallest);
void add_chains(const elements::ChainRules& rules, const double* terms, std::size_t step, std::size_t count,
                elements::Chains& chains);
void add_roundings_of_products(const elements::ChainRules& rules, const double* terms, std::size_t count,
                               elements::Chains& chains);

}  // namespace plumb::parity::compare
