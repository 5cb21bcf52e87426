// Writes the folder of a reduction, whole or not at all.
#include "parity/cli/reducing/reduction_files.hpp"

#include <system_error>

#include "ir/error.hpp"
#include "ir/files/interruption.hpp"
#include "ir/files/output_file.hpp"
#include "parity/cli/show/graph_text.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

void write_files(const ReductionFiles& files, const fs::path& folder) {
  show::write_graph_text(folder / "repro.json", files.graph);
  ir::files::write_text(folder / "repro.sh", files.script);
  ir::files::write_text(folder / "report.md", files.report);
  fs::permissions(folder / "repro.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
}

bool is_there(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder, none) && !fs::is_empty(folder, none);
}

}  // namespace

void require_folder(const fs::path& folder, bool force) {
  std::error_code none;
  if (!fs::exists(fs::symlink_status(folder, none))) {
    const fs::path parent = fs::absolute(folder).parent_path();
    return ir::require(fs::is_directory(parent, none), "-o ", folder.string(), ": there is no folder ",
                       parent.string());
  }
  ir::require(fs::is_directory(folder, none), "-o ", folder.string(), ": is no folder");
  ir::require(force || fs::is_empty(folder, none), "-o ", folder.string(),
              ": the folder is not empty; --force replaces repro.json, repro.sh and report.md in it");
}

void ReductionFiles::write(const fs::path& folder) const try {
  const ir::files::Uninterrupted whole;
  if (is_there(folder)) return write_files(*this, folder);
  fs::path part = fs::absolute(folder).lexically_normal();
  if (!part.has_filename()) part = part.parent_path();  // "out/"
  const fs::path name = part;
  part += ".part";
  std::error_code none;
  fs::create_directory(part);
  try {
    write_files(*this, part);
    fs::rename(part, name);
  } catch (...) {
    fs::remove_all(part, none);
    throw;
  }
} catch (const fs::filesystem_error& problem) {
  ir::fail("-o ", folder.string(), ": ", problem.code().message());
}

}  // namespace plumb::parity::cli
