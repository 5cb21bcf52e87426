#pragma once

#include <string>

#include "ir/formats/dumps/tensor_statistics.hpp"
#include "parity/core/terminal/style.hpp"

namespace plumb::parity::cli {

/// A table with a row a tensor; the histogram is a row of characters, the more elements the darker.
std::string to_text(const ir::formats::NamedStatistics& all, const core::terminal::Style& style);

}  // namespace plumb::parity::cli
