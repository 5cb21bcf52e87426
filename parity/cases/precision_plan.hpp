#pragma once

#include <filesystem>
#include <string>

#include "ir/passes/precision.hpp"

namespace plumb::parity::cases {

/// Reads a precision plan (plumb-precision/1, docs/f16.md): labels of nodes, or
/// globs, and how each computes. Throws
/// Error "FILE:LINE: what" for anything that is none.
ir::passes::PrecisionPlan read_plan(const std::filesystem::path& path);
ir::passes::PrecisionPlan parse_plan(std::string_view text, const std::string& file);

/// The plan as such a file; `source` says where it comes from.
std::string to_toml(const ir::passes::PrecisionPlan& plan, std::string_view source);

/// The plan for a graph by --precision: for the name of a precision every product that can, else the plan of
/// that file. Throws Unsupported when no product can; Error as read_plan does.
ir::passes::PrecisionPlan plan_of(const ir::Graph& graph, const std::string& precision);

}  // namespace plumb::parity::cases
