// Prints checks as they end, and writes the reports.
#include "parity/cli/checking/check_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <map>

#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/kept_result.hpp"
#include "parity/report/report.hpp"
#include "parity/report/suites.hpp"

namespace plumb::parity::cli {
namespace {

bool is_on_stdout(const CheckFlags& flags) { return flags.json == "-" || flags.junit == "-"; }

/// A number of a column; "-" where there is none.
std::string number(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

}  // namespace

std::string reason_of(const cases::CaseResult& result) {
  std::string text = result.message;
  for (const cases::NodeResult& node : result.nodes)
    if (text.empty() && node.verdict != core::Verdict::passed) text = node.why;
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

CheckReport::CheckReport(const CheckFlags& flags, std::vector<std::filesystem::path> inputs)
    : flags_(flags),
      out_(is_on_stdout(flags) ? std::cerr : std::cout),
      style_(core::terminal::style_of(
          flags.style, core::terminal::surroundings_of(is_on_stdout(flags) ? STDERR_FILENO : STDOUT_FILENO))) {
  ir::require(!is_on_stdout(flags) || flags.json != flags.junit, "only one of --json and --junit can go to stdout");
  const flags::Outputs outputs{.force = flags.force, .inputs = std::move(inputs)};
  json_ = outputs.open(flags.json, ir::files::FileKind::json);
  junit_ = outputs.open(flags.junit, ir::files::FileKind::xml);
}

void CheckReport::say(const CheckLabel& label, const cases::CaseResult& result) const {
  const bool passed = result.exit == core::ExitCode::passed && result.verdict == core::Verdict::passed;
  if (flags_.quiet && passed) return;
  if (flags_.verbose) {
    out_ << report::to_table(result, report::Detail::all, style_) << '\n' << std::flush;
    return;
  }
  double error = compare::not_computed, ratio = compare::not_computed;
  for (const cases::NodeResult& node : result.nodes) {
    error = std::fmax(error, node.local.max_abs.value);
    ratio = std::fmax(ratio, node.local.ratio());
  }
  std::string line = fmt::format("{:<{}}  {}", label.what, label.width, label.fill);
  if (flags_.seeds > 1) line += fmt::format("  seed {}", label.seed);
  line += fmt::format("  error {:<8}  ratio {:<8}  {}", number(error, "{:.2e}"), number(ratio, "{:.3g}"),
                      ir::enum_name(result.verdict));
  if (const std::string reason = reason_of(result); !passed && !reason.empty()) line += ": " + reason;
  out_ << core::terminal::fitted(core::terminal::printable(line) + '\n', style_.width);
  // The command is to be copied, so that it stays one line.
  const bool is_in_doubt = result.exit != core::ExitCode::passed && result.exit != core::ExitCode::nothing_ran;
  if (is_in_doubt) out_ << "   again: " << core::terminal::printable(result.repro) << '\n';
  out_ << std::flush;
}

void CheckReport::add(const CheckLabel& label, cases::CaseResult result) {
  say(label, result);
  const ir::files::Uninterrupted whole;
  results_.push_back(std::move(result));
  report::let_go_of_numbers(results_.back(), results_.size() > 1 ? &results_.end()[-2] : nullptr);
}

/// "1 of 60 checks failed", and how many came out in another way.
std::string CheckReport::summary() const {
  std::map<core::Verdict, std::size_t> counts;
  for (const cases::CaseResult& result : results_) ++counts[result.verdict];
  const std::size_t failed = counts[core::Verdict::failed], passed = counts[core::Verdict::passed];
  const std::string checks = fmt::format("{} check{}", results_.size(), results_.size() == 1 ? "" : "s");
  std::string text = failed > 0                  ? fmt::format("{} of {} failed", failed, checks)
                     : passed == results_.size() ? fmt::format("{} passed", checks)
                                                 : fmt::format("{} of {} passed", passed, checks);
  for (const auto& [verdict, count] : counts)
    if (count > 0 && verdict != core::Verdict::failed && verdict != core::Verdict::passed)
      text += fmt::format(", {} {}", count, ir::enum_name(verdict));
  return text;
}

int CheckReport::finish(const std::string& remark) {
  out_ << summary() << '\n' << remark;
  const auto ends = verify::ends_of(results_);
  const report::RunFacts facts{.outcome = core::outcome_of(ends, flags_.demands)};
  flags::write_whole(json_, json_ ? report::to_json(results_, facts.outcome) : "");
  flags::write_whole(junit_, junit_ ? report::to_junit(report::suites_of(results_, facts)) : "");
  std::cerr << core::unmet(ends, flags_.demands);
  return static_cast<int>(facts.outcome.exit);
}

}  // namespace plumb::parity::cli
