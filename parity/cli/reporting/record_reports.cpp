// The files of --json, --junit, --markdown and --html, and what --github says, of runs that were recorded.
#include "parity/cli/reporting/record_reports.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "parity/policy/policy_gate.hpp"
#include "parity/report/github.hpp"
#include "parity/report/html/page.hpp"
#include "parity/report/junit.hpp"

namespace plumb::parity::cli {
namespace {

using ir::files::FileKind;

const RecordReportFlags& with_one_report_on_stdout(const RecordReportFlags& flags) {
  flags::require_one_on_stdout(
      {{"--json", flags.json}, {"--junit", flags.junit}, {"--markdown", flags.markdown}, {"--html", flags.html}});
  return flags;
}

}  // namespace

void add_record_report_flags(CLI::App& app, RecordReportFlags& flags) {
  flags::add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--junit", flags.junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_page_flags(app, flags.markdown, flags.html);
  flags::add_github_flag(app, flags.github);
  flags::add_force_flag(app, flags.force);
}

results::JudgedFile judge_all(const std::vector<std::string>& files, const policy::Policy* policy,
                              const std::string& explain, std::chrono::sys_days today) {
  results::JudgedFile all;
  for (const std::string& file : files) {
    results::JudgedFile one = results::judge_file(file, policy, today, explain);
    for (results::JudgedRun& run : one.runs) all.runs.push_back(std::move(run));
    std::ranges::move(one.pairs, std::back_inserter(all.pairs));
    for (core::RunFinding& finding : one.findings) {
      if (files.size() > 1 && finding.kind == "cut_off") finding.text = file + ": " + finding.text;
      if (std::ranges::find(all.findings, finding.text, &core::RunFinding::text) == all.findings.end())
        all.findings.push_back(std::move(finding));
    }
  }
  return all;
}

report::Cases cases_of(const std::vector<results::JudgedRun>& runs, cases::CaseResult& held) {
  return {runs.size(), [all = &runs, one = &held](std::size_t at) -> const cases::CaseResult& {
            return *one = results::case_of((*all)[at]);
          }};
}

std::string page_of(const results::JudgedFile& judged, std::span<const report::Suite> suites,
                    const report::RunFacts& facts) {
  cases::CaseResult held;
  return report::html::to_page(cases_of(judged.runs, held), suites, facts);
}

RecordReports::RecordReports(const RecordReportFlags& flags, const flags::Outputs& outputs)
    : flags_(with_one_report_on_stdout(flags)),
      json_(outputs.open(flags.json, FileKind::json)),
      junit_(outputs.open(flags.junit, FileKind::xml)),
      markdown_(outputs.open_text(flags.markdown, "")),
      html_(outputs.open(flags.html, FileKind::html)) {}

bool RecordReports::is_on_stdout() const {
  const auto names = {flags_.json, flags_.junit, flags_.markdown, flags_.html};
  return std::ranges::count(names, "-") > 0;
}

void RecordReports::write(const results::JudgedFile& judged, const core::Outcome& outcome, std::ostream& out) {
  const bool has_suites = junit_ || markdown_ || html_ || flags_.github;
  const auto suites = has_suites ? results::suites_of(judged.runs, outcome) : std::vector<report::Suite>();
  report::RunFacts facts = results::facts_of(judged.runs);
  facts.outcome = outcome;
  if (json_) flags::write_whole(json_, results::to_json(judged.runs, outcome, judged.pairs));
  if (junit_) flags::write_whole(junit_, report::to_junit(suites));
  if (markdown_) flags::write_whole(markdown_, report::to_markdown(suites, facts, report::most_comment_bytes));
  if (html_) flags::write_whole(html_, page_of(judged, suites, facts));
  if (flags_.github) report::tell_github(out, suites, facts);
}

}  // namespace plumb::parity::cli
