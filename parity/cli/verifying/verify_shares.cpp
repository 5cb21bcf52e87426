// --list and --shard of `plumb verify`: its cases as a list, or a share of them.
#include <fmt/format.h>

#include <algorithm>

#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/shard_flag.hpp"
#include "parity/cli/verifying/selection.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/verify/repro.hpp"

namespace plumb::parity::cli {

/// Says which cases there are. A graph whose file is at fault ends the command as it would end its case.
int VerifyRun::list() const {
  ir::require(flags_.results.empty() && flags_.junit.empty() && flags_.counts.empty() && !flags_.github,
              "--list runs nothing: -o, --junit, --counts and --github have nothing to write");
  ir::require(flags_.jobs.empty() && flags_.budget.empty(),
              "--list runs nothing: there are no cases for --jobs and --budget");
  const auto json = outputs_beside().open(flags_.json, ir::files::FileKind::json);
  std::vector<PlannedCase> planned = plan_cases(flags_, batches_, true);
  if (const auto shard = flags::chosen_shard(flags_.shard)) share_out(planned, shard->count);
  if (json) flags::write_whole(json, list_json(planned));
  out_ << list_text(planned);
  const auto is_at_fault = [](const PlannedCase& one) { return !one.problem.empty() && !one.is_unsupported; };
  return static_cast<int>(std::ranges::any_of(planned, is_at_fault) ? core::ExitCode::tool_error
                                                                    : core::ExitCode::passed);
}

/// Leaves the cases of the share that the command line or the environment names.
void VerifyRun::take_share() {
  const auto shard = flags::chosen_shard(flags_.shard);
  ir::require(shard || flags_.times.empty() || !flags_.budget.empty(),
              "--times says how long cases take, for --shard, --list and --budget");
  if (!shard) return;
  std::vector<PlannedCase> planned = plan_cases(flags_, batches_, false);
  shard_ = *shard;
  partition_ = share_out(planned, shard_.count);
  const std::size_t kept = keep_share(shard_.index, planned, batches_);
  if (!flags_.quiet || kept == 0)
    out_ << fmt::format("share {}: {} of {} cases\n", shard_.text(), kept, planned.size());
}

/// Puts the most urgent cases first, where there is time for some alone.
void VerifyRun::take_budget() {
  if (flags_.budget.empty()) return;
  budget_ = flags::duration_of("--budget", flags_.budget);
  batches_ = by_urgency(flags_, batches_);
}

/// Whether a batch may still be begun.
bool VerifyRun::fits_budget(const Batch& batch) const {
  if (!budget_) return true;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_, all = *budget_;
  return spent.count() + batch.seconds.value_or(0) < all.count();
}

/// The result of a case that was not run to its end, as of the run of that number among its seeds and candidates, which
/// follow each other once for each alternative.
cases::CaseResult VerifyRun::unrun_case(const Batch& batch, const std::string& path, std::size_t run) const {
  const flags::VerifyFlags& flags = batch.flags;
  verify::FillOptions fill = batch.fill;
  const std::size_t runs_of_seed = flags.candidates.size(), planned = flags.seeds * runs_of_seed;
  fill.seed += run % planned / runs_of_seed;
  const auto device = flags::vulkan_options(flags.device);
  std::string repeated = flags::repeated_flags(flags, fill, device);
  cases::CaseResult made;
  made.subject = verify::unread_case(path, fill);
  made.mode = flags::mode_of(flags.mode);
  made.settings = flags::run_settings(device);
  made.settings.candidate = flags.candidates.at(run % runs_of_seed);
  if (const std::size_t alternative = run / planned; flags.each_kernel && alternative != 0) {
    made.settings.alternative = static_cast<std::int64_t>(alternative);
    repeated += fmt::format(" --set alternative={}", alternative);
  }
  made.repro = verify::repro_of(made.subject, {.flags = repeated, .mode = made.mode});
  made.identity = cases::identity_of(made.subject, made.mode, made.settings);
  made.uuid = cases::new_uuid();
  return made;
}

/// Says of the cases of a batch that there was no time for them, which no results file has.
void VerifyRun::skip(const Batch& batch, results::Recorder* recorder) {
  for (const std::string& path : batch.paths) {
    cases::CaseResult skipped = unrun_case(batch, path, 0);
    skipped.verdict = core::Verdict::skipped;
    skipped.exit = core::ExitCode::nothing_ran;
    skipped.message = path + ": skipped: budget";
    out_ << core::terminal::printable(skipped.message) << '\n';
    ++over_budget_;
    is_taken_ = false;
    record(std::move(skipped), nullptr);
    leave_out(batch.runs() - 1, recorder);
  }
}

}  // namespace plumb::parity::cli
