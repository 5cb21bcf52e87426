// Writes the graph files that commands keep.
#include "parity/cli/show/graph_text.hpp"

#include "ir/files/output_file.hpp"

namespace plumb::parity::cli::show {

void write_graph_text(const std::filesystem::path& path, std::string_view text) {
  ir::files::OutputFile file(path, {.kind = ir::files::FileKind::graph});
  file.write(text);
  file.commit();
}

}  // namespace plumb::parity::cli::show
