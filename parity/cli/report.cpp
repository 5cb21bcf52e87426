// `plumb report`: what verify reported, again from its results files, in any of the forms that it has.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/reporting/archived_results.hpp"
#include "parity/cli/reporting/map_png.hpp"
#include "parity/cli/reporting/record_reports.hpp"
#include "parity/cli/reporting/shown_maps.hpp"
#include "parity/cli/reporting/viewer_files.hpp"
#include "parity/report/github.hpp"

namespace plumb::parity::cli {
namespace {

struct ReportFlags {
  std::vector<std::string> results;
  RecordReportFlags reports;
  ViewerFlags viewers;
  bool exit_zero = false;
  std::string map, png;
  core::terminal::StyleFlags style;
  core::Demands demands;
};

void write_png(const compare::RatioMap& map, ir::files::OutputFile& file) {
  file.write(png_of(map));
  file.commit();
}

int run_report(const ReportFlags& flags) {
  const flags::Outputs outputs{.force = flags.reports.force, .inputs = {flags.results.begin(), flags.results.end()}};
  RecordReports reports(flags.reports, outputs);
  ViewerFiles viewers(flags.viewers, outputs);
  const auto png = outputs.open(flags.png, ir::files::FileKind::other);
  const bool is_on_stdout = reports.is_on_stdout();
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  if (flags.reports.github) report::stop_workflow_commands(out);
  const ArchivedResults results(flags.results);
  const results::JudgedFile judged = judge_all(results.paths(), nullptr, "");
  const auto style = core::terminal::style_of(
      flags.style, core::terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO));
  if (flags.map.empty()) {
    out << results::to_text(judged.runs, style);
  } else {
    const ShownMaps maps = shown_maps(judged.runs, flags.map);
    out << maps.text;
    if (png) write_png(maps.worst, *png);
  }
  const auto ends = results::ends_of(judged.runs);
  core::Outcome outcome = core::outcome_of(ends, flags.demands, judged.findings);
  if (judged.runs.empty() && outcome.exit == core::ExitCode::passed) outcome.exit = core::ExitCode::nothing_ran;
  reports.write(judged, outcome, out);
  viewers.write(judged, outcome, results.paths());
  std::cerr << core::unmet(ends, flags.demands, judged.findings);
  return flags.exit_zero ? 0 : static_cast<int>(outcome.exit);
}

}  // namespace

Action report(CLI::App& app) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("results", flags->results, "results files (HDF5) of plumb verify, or archives (.zip) of such")
      ->required();
  auto* const map =
      app.add_option(
             "--map", flags->map,
             "print where this output is off, in place of the table: the largest error over its limit of each part")
          ->type_name("NODE");
  flags::add_output(app, "--png", flags->png,
                    "draw the map into this file; of several runs, that with the largest ratio")
      ->needs(map);
  app.add_flag("--exit-zero", flags->exit_zero, "end with 0 once the reports are written, whatever the verdicts are");
  app.add_flag("--strict", flags->demands.strict,
               "exit code 4 where anything was not verified, as in verify, and 2 where the runs were cut off");
  app.add_flag("--require-verified", flags->demands.verified,
               "exit code 4 unless every run was verified, as in verify");
  add_record_report_flags(app, flags->reports);
  add_viewer_flags(app, flags->viewers);
  flags::add_style_flags(app, flags->style);
  return [flags] { return run_report(*flags); };
}

}  // namespace plumb::parity::cli
