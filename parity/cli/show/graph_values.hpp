#pragma once

#include <string>

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::cli::show {

/// The values that nodes compute, with dtype, shape, op and further names, as a table for people: what another runtime
/// is to dump.
std::string values_text(const ir::formats::GraphFile& file);

/// Says the same as JSON of the schema plumb-values/1, with the inputs and params before.
std::string values_json(const ir::formats::GraphFile& file);

}  // namespace plumb::parity::cli::show
