#pragma once

#include <filesystem>
#include <string_view>

namespace plumb::parity::cli::show {

/// Writes the text of a graph file whole, over an earlier one. Throws Error with the file's name.
void write_graph_text(const std::filesystem::path& path, std::string_view text);

}  // namespace plumb::parity::cli::show
