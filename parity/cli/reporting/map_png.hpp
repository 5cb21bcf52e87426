#pragma once

#include <cstddef>
#include <vector>

#include "parity/compare/ratio_map.hpp"

namespace plumb::parity::cli {

/// A map as a PNG picture, 8 x 8 pixels a cell, in the colours of the page: blue up to the limit, orange beyond it,
/// black where the ratio is not finite. Throws Error where there are no cells.
std::vector<std::byte> png_of(const compare::RatioMap& map);

}  // namespace plumb::parity::cli
