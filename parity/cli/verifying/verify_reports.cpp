// The files of --json, --junit, --counts, --markdown and --html, and what --github says, of all cases or of those that
// were done.
#include "parity/cli/verifying/verify_reports.hpp"

#include <algorithm>

#include "parity/report/github.hpp"
#include "parity/report/html/page.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/report.hpp"

namespace plumb::parity::cli {
namespace {

const flags::VerifyFlags& with_one_on_stdout(const flags::VerifyFlags& flags) {
  flags::require_one_on_stdout({{"--json", flags.json},
                                {"--junit", flags.junit},
                                {"--counts", flags.counts},
                                {"--markdown", flags.markdown},
                                {"--html", flags.html}});
  return flags;
}

}  // namespace

VerifyReports::VerifyReports(const flags::VerifyFlags& flags, const flags::Outputs& outputs, std::ostream& out)
    : flags_(with_one_on_stdout(flags)),
      out_(out),
      json_(outputs.open(flags.json, ir::files::FileKind::json)),
      counts_(outputs.open(flags.counts, ir::files::FileKind::json)),
      junit_(outputs.open(flags.junit, ir::files::FileKind::xml)),
      markdown_(outputs.open_text(flags.markdown, "")),
      html_(outputs.open(flags.html, ir::files::FileKind::html)) {}

bool VerifyReports::has_stream() const {
  const auto is_stream = [](const auto* file) { return (*file) && (*file)->is_stream(); };
  const auto all = {&json_, &counts_, &junit_, &markdown_, &html_};
  return std::ranges::any_of(all, is_stream);
}

void VerifyReports::write(std::span<const cases::CaseResult> cases, const report::RunFacts& facts,
                          const report::Counts& counts, std::span<const cases::PairResult> pairs) {
  if (json_) flags::write_whole(json_, report::to_json(cases, facts.outcome, pairs));
  if (counts_) flags::write_whole(counts_, counts.to_json());
  write_suites(cases, facts);
}

/// Writes the files that are made from suites of tests, and makes no suites where nobody asks.
void VerifyReports::write_suites(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) {
  if (!junit_ && !markdown_ && !html_) return;
  const auto suites = report::suites_of(cases, facts);
  if (junit_) flags::write_whole(junit_, report::to_junit(suites));
  if (markdown_) flags::write_whole(markdown_, report::to_markdown(suites, facts, report::most_comment_bytes));
  const report::Cases all{cases.size(), [&](std::size_t at) -> const cases::CaseResult& { return cases[at]; }};
  if (html_) flags::write_whole(html_, report::html::to_page(all, suites, facts));
}

void VerifyReports::tell_github(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) const {
  if (flags_.github) report::tell_github(out_, report::suites_of(cases, facts), facts);
}

void VerifyReports::write_cut_off(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) {
  if (flags_.github) out_ << '\n';
  tell_github(cases, facts);
  write_suites(cases, facts);
  if (json_) flags::write_whole(json_, report::to_json(cases, facts.outcome));
}

}  // namespace plumb::parity::cli
