#pragma once

#include <string>

#include "ir/op_list.hpp"

namespace plumb::parity::cli::show {

/// The reference of one op as Markdown, from its header in ir/ops.
std::string op_markdown(const ir::OpSchema& schema);

/// The reference of every op: what docs/op_reference.md holds.
std::string ops_markdown();

}  // namespace plumb::parity::cli::show
