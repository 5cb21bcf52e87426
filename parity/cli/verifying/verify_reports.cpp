// The files of --json, --junit and --counts and what --github says, of all cases or of those that were done.
#include "parity/cli/verifying/verify_reports.hpp"

#include <algorithm>

#include "parity/report/github.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/report.hpp"

namespace plumb::parity::cli {
namespace {

const flags::VerifyFlags& with_one_on_stdout(const flags::VerifyFlags& flags) {
  const auto on_stdout = {flags.json == "-", flags.junit == "-", flags.counts == "-"};
  ir::require(std::ranges::count(on_stdout, true) < 2,
              "only one of --json, --junit and --counts can be written to stdout");
  return flags;
}

}  // namespace

VerifyReports::VerifyReports(const flags::VerifyFlags& flags, const flags::Outputs& outputs, std::ostream& out)
    : flags_(with_one_on_stdout(flags)),
      out_(out),
      json_(outputs.open(flags.json, ir::files::FileKind::json)),
      counts_(outputs.open(flags.counts, ir::files::FileKind::json)),
      junit_(outputs.open(flags.junit, ir::files::FileKind::xml)) {}

bool VerifyReports::has_stream() const {
  const auto is_stream = [](const auto* file) { return (*file) && (*file)->is_stream(); };
  return is_stream(&json_) || is_stream(&counts_) || is_stream(&junit_);
}

void VerifyReports::write(std::span<const cases::CaseResult> cases, const report::RunFacts& facts,
                          const report::Counts& counts, std::span<const cases::PairResult> pairs) {
  if (json_) flags::write_whole(json_, report::to_json(cases, facts.outcome, pairs));
  if (counts_) flags::write_whole(counts_, counts.to_json());
  if (junit_) flags::write_whole(junit_, report::to_junit(report::suites_of(cases, facts)));
}

void VerifyReports::tell_github(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) const {
  if (flags_.github) report::tell_github(out_, report::suites_of(cases, facts), facts);
}

void VerifyReports::write_cut_off(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) {
  if (flags_.github) out_ << '\n';
  tell_github(cases, facts);
  if (junit_) flags::write_whole(junit_, report::to_junit(report::suites_of(cases, facts)));
  if (json_) flags::write_whole(json_, report::to_json(cases, facts.outcome));
}

}  // namespace plumb::parity::cli
