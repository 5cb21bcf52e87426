// `plumb check`: one op on many shapes, computed by a candidate and judged as any graph of one node.
#include "parity/check/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/files/interruption.hpp"
#include "library/reference.hpp"
#include "parity/cli/checking/check_flags.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/kept_result.hpp"
#include "parity/report/progress.hpp"
#include "parity/report/report.hpp"
#include "parity/report/suites.hpp"

namespace plumb::parity::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool is_on_stdout(const CheckFlags& flags) { return flags.json == "-" || flags.junit == "-"; }

/// The candidate: our device, or another.
struct Judged {
  flags::DeviceFlags device_flags;  ///< with the device that --candidate names
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device = {};
  library::OpenedCandidate other = {};

  explicit Judged(const CheckFlags& flags) : device_flags(flags.device) {
    if (flags::is_vulkan(flags.candidate, device_flags))
      device = std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(device_flags));
    else
      other = flags::open_candidate(flags.candidate, device_flags);
    ir::require(flags::computes(other), "--candidate ", flags.candidate.candidate,
                ": computes nothing, and a check needs who does");
  }

  cases::Executors executors(ir::Executor& reference) const {
    return library::executors_of(reference, device ? *device : *other.executor);
  }

  /// The end of a repro line: who is judged, and on which device.
  std::string repeated(const CheckFlags& flags) const {
    const std::string who = flags::repeated(flags.candidate);
    return device ? who + flags::repeated(flags::options_to_repeat(*device)) : who;
  }
};

/// A number of a column; "-" where there is none.
std::string number(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

/// "f32[33, 257]", the operands' types one after the other.
std::string types_text(const ir::TensorTypes& types) {
  std::string text;
  for (const ir::TensorType& type : types) text += (text.empty() ? "" : " ") + ir::cat(type);
  return text.empty() ? "no operands" : text;
}

std::string fill_text(const check::Check& check) {
  std::string text(ir::enum_name(check.fill));
  if (check.adversarial) text += fmt::format(":{}", ir::enum_name(*check.adversarial));
  return text;
}

/// Why a check came out as it did, in one line; "" where it passed.
std::string reason_of(const cases::CaseResult& result) {
  std::string text = result.message;
  for (const cases::NodeResult& node : result.nodes)
    if (text.empty() && node.verdict != core::Verdict::passed) text = node.why;
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

class CheckRun {
 public:
  explicit CheckRun(const CheckFlags& flags)
      : flags_(flags),
        plan_(plan_of(flags)),
        out_(is_on_stdout(flags) ? std::cerr : std::cout),
        style_(core::terminal::style_of(
            flags.style, core::terminal::surroundings_of(is_on_stdout(flags) ? STDERR_FILENO : STDOUT_FILENO))),
        budget_(flags::seconds_of("--budget", flags.budget)),
        comparing_(flags.device.threads),
        reference_(library::reference_executor(flags.device.threads)) {
    for (const ir::TensorTypes& types : plan_.types) widest_ = std::max(widest_, types_text(types).size());
    widest_ = std::min<std::size_t>(widest_, 48);
  }

  int run();

 private:
  void run_all(const Judged& judged);
  void say(const check::Check& check, const cases::CaseResult& result) const;
  std::string summary() const;

  const CheckFlags& flags_;
  const CheckPlan plan_;
  std::ostream& out_;  ///< for people: stderr when stdout carries a report
  const core::terminal::Style style_;
  const double budget_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  std::size_t widest_ = 0;
  std::vector<cases::CaseResult> results_;
};

void CheckRun::say(const check::Check& check, const cases::CaseResult& result) const {
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
  std::string line = fmt::format("{:<{}}  {}", types_text(check.operands), widest_, fill_text(check));
  if (flags_.seeds > 1) line += fmt::format("  seed {}", check.seed);
  line += fmt::format("  error {:<8}  ratio {:<8}  {}", number(error, "{:.2e}"), number(ratio, "{:.3g}"),
                      ir::enum_name(result.verdict));
  if (const std::string reason = reason_of(result); !passed && !reason.empty()) line += ": " + reason;
  out_ << core::terminal::fitted(core::terminal::printable(line) + '\n', style_.width);
  // The command is to be copied, so that it stays one line.
  const bool is_in_doubt = result.exit != core::ExitCode::passed && result.exit != core::ExitCode::nothing_ran;
  if (is_in_doubt) out_ << "   again: " << core::terminal::printable(result.repro) << '\n';
  out_ << std::flush;
}

void CheckRun::run_all(const Judged& judged) {
  const cases::Executors executors = judged.executors(reference_);
  verify::VerifyOptions options{.plain = true};
  if (!flags_.min_verified.empty())
    options.min_verified = {flags_.min_verified[0], flags_.min_verified[1]};
  else if (flags_.demands.strict)
    options.min_verified = core::strict_coverage;
  const std::string end = judged.repeated(flags_);
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < plan_.size(); ++i) {
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    if (flags_.sweep == "full" && i > 0 && elapsed.count() > budget_) {
      out_ << fmt::format("the budget of {} ended the sweep after {} of {} checks\n", flags_.budget, i, plan_.size());
      return;
    }
    const check::Check check = plan_.at(i);
    report::Progress progress;
    cases::CaseResult result = check::run(check, executors, options, end, progress);
    progress.erase();
    say(check, result);
    const ir::files::Uninterrupted whole;
    results_.push_back(std::move(result));
    report::let_go_of_numbers(results_.back(), results_.size() > 1 ? &results_.end()[-2] : nullptr);
  }
}

/// "1 of 60 checks failed", and how many came out in another way.
std::string CheckRun::summary() const {
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

int CheckRun::run() {
  ir::require(!is_on_stdout(flags_) || flags_.json != flags_.junit, "only one of --json and --junit can go to stdout");
  const flags::Outputs outputs{.force = flags_.force, .inputs = flags::files_read(flags_.candidate)};
  const auto json = outputs.open(flags_.json, ir::files::FileKind::json);
  const auto junit = outputs.open(flags_.junit, ir::files::FileKind::xml);
  run_all(Judged(flags_));
  out_ << summary() << '\n';
  const auto ends = verify::ends_of(results_);
  const report::RunFacts facts{.outcome = core::outcome_of(ends, flags_.demands)};
  flags::write_whole(json, json ? report::to_json(results_, facts.outcome) : "");
  flags::write_whole(junit, junit ? report::to_junit(report::suites_of(results_, facts)) : "");
  std::cerr << core::unmet(ends, flags_.demands);
  return static_cast<int>(facts.outcome.exit);
}

}  // namespace

Action check(CLI::App& app) {
  const auto flags = std::make_shared<CheckFlags>();
  add_check_flags(app, *flags);
  app.footer("attributes of an op, and the letters of its extents: `plumb ops OP`; docs/check.md");
  return [flags] { return CheckRun(*flags).run(); };
}

}  // namespace plumb::parity::cli
