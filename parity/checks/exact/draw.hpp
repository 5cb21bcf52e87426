#pragma once

#include <array>

#include "ir/fill.hpp"

namespace plumb::parity::checks::exact {

/// Fills for the sources of a twin: the first that lets a node be proved is taken. Whole
/// numbers, so that a dropped or misplaced one changes a sum by at least 1.
inline const std::array dense_draws = {
    ir::Fill{.distribution = ir::Distribution::uniform_int, .low = -3, .high = 4},
    ir::Fill{.distribution = ir::Distribution::uniform_int, .low = -1, .high = 2},
    ir::Fill{.distribution = ir::Distribution::bernoulli, .probability = 0x1p-2},
};

/// Where no cut helps: a term that is dropped may be 0.
inline const std::array sparse_draws = {
    ir::Fill{.distribution = ir::Distribution::bernoulli, .probability = 0x1p-4},
    ir::Fill{.distribution = ir::Distribution::bernoulli, .probability = 0x1p-7},
    ir::Fill{.distribution = ir::Distribution::bernoulli, .probability = 0x1p-10},
};

}  // namespace plumb::parity::checks::exact
