#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ir/formats/graph_file.hpp"
#include "ir/formats/tensor_files.hpp"

namespace plumb::parity::cli::show {

/// Writes the text of a graph file whole, over an earlier one. Throws Error with the file's name.
void write_graph_text(const std::filesystem::path& path, std::string_view text);

/// Tensors of more than a few numbers leave the file, which names `weights` in their place, for that file.
ir::formats::NamedTensors taken_out(ir::formats::GraphFile& file, const std::string& weights);

}  // namespace plumb::parity::cli::show
