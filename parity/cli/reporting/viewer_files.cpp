// Files for Model Explorer and Perfetto, and an archive of a run.
#include "parity/cli/reporting/viewer_files.hpp"

#include <CLI/CLI.hpp>

#include "ir/files/read_file.hpp"
#include "ir/formats/zip.hpp"
#include "parity/cli/reporting/record_reports.hpp"
#include "parity/report/viewers/overlay.hpp"
#include "parity/report/viewers/trace.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_archived_bytes = std::uint64_t{4} << 30;

}  // namespace

void add_viewer_flags(CLI::App& app, ViewerFlags& flags) {
  flags::add_output(app, "--model-explorer", flags.overlay,
                    "write node data for Model Explorer to FILE.ratio.json, .ulp.json, .inherited.json and .time.json, "
                    "and the graphs to FILE.graph.json")
      ->group("output");
  flags::add_output(app, "--trace", flags.trace, "write the times of nodes as Trace Event JSON, for Perfetto")
      ->group("output");
  flags::add_output(app, "--zip", flags.zip, "write page, JSON and results files to this archive, which report reads")
      ->group("output");
}

ViewerFiles::ViewerFiles(const ViewerFlags& flags, const flags::Outputs& outputs)
    : trace_(outputs.open(flags.trace, ir::files::FileKind::json)),
      zip_(outputs.open(flags.zip, ir::files::FileKind::zip)) {
  ir::require(flags.overlay != "-", "--model-explorer writes several files, and stdout is one");
  if (flags.overlay.empty()) return;
  for (const std::string& suffix : report::overlay_suffixes())
    overlay_.push_back(outputs.open(flags.overlay + suffix, ir::files::FileKind::json));
}

void ViewerFiles::write(const results::JudgedFile& judged, const core::Outcome& outcome,
                        std::span<const std::string> results) {
  cases::CaseResult held;
  const report::Cases cases = cases_of(judged.runs, held);
  if (!overlay_.empty()) {
    const auto files = report::overlay_of(cases);
    for (std::size_t f = 0; f < files.size(); ++f) flags::write_whole(overlay_[f], files[f].text);
  }
  if (trace_) flags::write_whole(trace_, report::to_trace(cases));
  if (zip_) write_archive(judged, outcome, results);
}

void ViewerFiles::write_archive(const results::JudgedFile& judged, const core::Outcome& outcome,
                                std::span<const std::string> results) {
  ir::formats::ZipWriter zip(*zip_);
  const auto add = [&](const std::string& name, const std::string& text) {
    zip.add(name, {}, std::as_bytes(std::span(text)));
  };
  report::RunFacts facts = results::facts_of(judged.runs);
  facts.outcome = outcome;
  add("report.html", page_of(judged, results::suites_of(judged.runs, outcome), facts));
  add("report.json", results::to_json(judged.runs, outcome, judged.pairs));
  for (std::size_t r = 0; r < results.size(); ++r)
    add(r == 0 ? "results.h5" : ir::cat("results_", r + 1, ".h5"),
        ir::files::read_named_text(results[r], most_archived_bytes));
  zip.finish();
  zip_->commit();
}

}  // namespace plumb::parity::cli
