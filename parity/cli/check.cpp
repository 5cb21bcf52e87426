// `plumb check`: one op on many shapes, or a definition on its workloads, computed by a candidate and judged as any
// graph.
#include "parity/check/check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "library/reference.hpp"
#include "parity/cli/checking/check_flags.hpp"
#include "parity/cli/checking/check_report.hpp"
#include "parity/cli/checking/definition_run.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/core/parallel.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

using Clock = std::chrono::steady_clock;

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

class CheckRun {
 public:
  explicit CheckRun(const CheckFlags& flags)
      : flags_(flags),
        plan_(plan_of(flags)),
        budget_(flags::seconds_of("--budget", flags.budget)),
        comparing_(flags.device.threads),
        reference_(library::reference_executor(flags.device.threads)) {
    for (const ir::TensorTypes& types : plan_.types) widest_ = std::max(widest_, types_text(types).size());
    widest_ = std::min<std::size_t>(widest_, 48);
  }

  int run();

 private:
  void run_all(const flags::ChosenExecutor& judged, CheckReport& report);

  const CheckFlags& flags_;
  const CheckPlan plan_;
  const double budget_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  std::size_t widest_ = 0;
};

void CheckRun::run_all(const flags::ChosenExecutor& judged, CheckReport& report) {
  const cases::Executors executors = judged.beside(reference_);
  const verify::VerifyOptions options = verify_options_of(flags_);
  const std::string end = judged.repeated(flags_.candidate);
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < plan_.size(); ++i) {
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    if (flags_.sweep == "full" && i > 0 && elapsed.count() > budget_) {
      report.out() << fmt::format("the budget of {} ended the sweep after {} of {} checks\n", flags_.budget, i,
                                  plan_.size());
      return;
    }
    const check::Check check = plan_.at(i);
    report::Progress progress;
    cases::CaseResult result = check::run(check, executors, options, end, progress);
    progress.erase();
    report.add({types_text(check.operands), fill_text(check), widest_, check.seed}, std::move(result));
  }
}

int CheckRun::run() {
  CheckReport report(flags_, flags::files_read(flags_.candidate));
  run_all(open_judged(flags_.candidate, flags_.device), report);
  return report.finish();
}

}  // namespace

Action check(CLI::App& app) {
  const auto flags = std::make_shared<CheckFlags>();
  add_check_flags(app, *flags);
  app.footer(
      "attributes of an op, and the letters of its extents: `plumb ops OP`; docs/check.md. Definitions of "
      "FlashInfer-Bench: docs/flashinfer.md");
  return [flags] { return flags->definition.empty() ? CheckRun(*flags).run() : run_definition(*flags); };
}

}  // namespace plumb::parity::cli
