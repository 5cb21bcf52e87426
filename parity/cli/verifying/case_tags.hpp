#pragma once

// Which cases --tag chooses: by tags of their graphs and of lists, and by those that every case has of itself.

#include <optional>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/cases/listed/tag_expression.hpp"
#include "parity/cli/verifying/batches.hpp"

namespace plumb::parity::cli {

/// The tags that a path says: `onnx`, and `dir:NAME` for each folder in it.
cases::Tags tags_of_path(const std::string& path);

/// The tags that a graph says: `op:NAME` and `dtype:NAME` for each op and dtype in it, its f32 values being stored as
/// `stored` where that is said; and by the memory that verifying it takes `small` (up to 64 MiB), `medium` (up to 1
/// GiB) or `large`.
cases::Tags tags_of_graph(const ir::Graph& graph, std::optional<ir::DType> stored = {});

/// `fill:NAME`, of an adversarial one `fill:adversarial`, too.
cases::Tags tags_of_fill(const verify::FillOptions& fill);

/// All of those but `dir:NAME`.
std::vector<std::string> known_tags();

/// Throws Error, with a caret below it, for a name in the expression that can be none of a case: neither one of those
/// above nor among `own`, those that graphs and lists give.
void require_known_tags(const cases::TagExpression& expression, const cases::Tags& own);

/// Leaves the graphs that --tag chooses. Throws Error where it chooses none, or names a tag that there is not. A graph
/// that cannot be read has the tags of its path, its fill and its list alone.
void choose_tags(const flags::VerifyFlags& flags, std::vector<Batch>& batches);

}  // namespace plumb::parity::cli
