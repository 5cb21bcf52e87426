// Writes the graph files that commands keep.
#include "parity/cli/show/graph_text.hpp"

#include "ir/files/output_file.hpp"

namespace plumb::parity::cli::show {

void write_graph_text(const std::filesystem::path& path, std::string_view text) {
  ir::files::write_file(path, ir::files::FileKind::graph, text);
}

ir::formats::NamedTensors taken_out(ir::formats::GraphFile& file, const std::string& weights) {
  constexpr std::int64_t readable = 16;
  ir::formats::NamedTensors taken;
  for (auto& [name, source] : file.sources) {
    auto* tensor = std::get_if<ir::Tensor>(&source);
    if (tensor == nullptr || tensor->elements() <= readable) continue;
    taken.insert_or_assign(name, std::move(*tensor));
    source = ir::formats::External{weights, name};
  }
  return taken;
}

}  // namespace plumb::parity::cli::show
