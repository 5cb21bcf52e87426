#pragma once

// Files that `plumb report` writes for other viewers, and to be kept: an overlay, a trace, an archive.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/files/output_file.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/demands.hpp"
#include "parity/results/judge.hpp"

namespace plumb::parity::cli {

struct ViewerFlags {
  std::string overlay, trace, zip;
};

/// --model-explorer, --trace and --zip.
void add_viewer_flags(CLI::App& app, ViewerFlags& flags);

/// The files of these flags, which are opened before the work.
class ViewerFiles {
 public:
  /// Throws Error where a file cannot be written.
  ViewerFiles(const ViewerFlags& flags, const flags::Outputs& outputs);

  /// `results` are the files that were judged, which the archive holds beside page and JSON.
  void write(const results::JudgedFile& judged, const core::Outcome& outcome, std::span<const std::string> results);

 private:
  void write_archive(const results::JudgedFile& judged, const core::Outcome& outcome,
                     std::span<const std::string> results);

  std::vector<std::unique_ptr<ir::files::OutputFile>> overlay_;  ///< one for each of overlay_suffixes()
  const std::unique_ptr<ir::files::OutputFile> trace_, zip_;
};

}  // namespace plumb::parity::cli
