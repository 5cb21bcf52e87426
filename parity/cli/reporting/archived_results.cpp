// Unpacks the results files of archives, without trust in what these say.
#include "parity/cli/reporting/archived_results.hpp"

#include "ir/error.hpp"
#include "ir/files/output_file.hpp"
#include "ir/files/path_below.hpp"
#include "ir/formats/zip.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{4} << 30;

bool is_results_name(const std::string& name) {
  return ir::files::has_extension(name, ".h5") || ir::files::has_extension(name, ".hdf5") || name.ends_with(".h5.part");
}

}  // namespace

ArchivedResults::ArchivedResults(const std::vector<std::string>& given) {
  for (const std::string& path : given)
    if (ir::files::kind_of_file(path) == ir::files::FileKind::zip)
      unpack(path);
    else
      paths_.push_back(path);
}

void ArchivedResults::unpack(const std::string& archive) try {
  const ir::formats::ZipReader zip(archive);
  std::uint64_t bytes = 0;
  const std::size_t before = paths_.size();
  for (const auto& [name, entry] : zip.entries()) {
    ir::require(ir::files::stays_below(name), "member '", name, "' leads out of the archive");
    if (!is_results_name(name)) continue;
    bytes += entry.size;
    ir::require(bytes <= most_unpacked_bytes, "its results files take more than 4 GiB");
    if (!folder_) folder_.emplace(most_unpacked_bytes, fs::path{});
    std::vector<std::byte> content(entry.size);
    zip.read(entry, 0, content);
    // The member's own name may be anything, and several archives may have the same.
    const std::string path = (folder_->path() / ir::cat("results_", paths_.size(), ".h5")).string();
    ir::files::OutputFile file(path, {.kind = ir::files::FileKind::hdf5});
    file.write(content);
    file.commit();
    paths_.push_back(path);
  }
  ir::require(paths_.size() > before, "has no results file (.h5)");
} catch (const ir::Error& problem) {
  const std::string why = problem.what();
  if (why.starts_with(archive)) throw;
  ir::fail(archive, ": ", why);
}

}  // namespace plumb::parity::cli
