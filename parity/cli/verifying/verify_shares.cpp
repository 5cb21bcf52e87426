// --list and --shard of `plumb verify`: its cases as a list, or a share of them.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "parity/cli/flags/shard_flag.hpp"
#include "parity/cli/verifying/selection.hpp"
#include "parity/cli/verifying/verify_run.hpp"

namespace plumb::parity::cli {

/// Says which cases there are. A graph whose file is at fault ends the command as it would end its case.
int VerifyRun::list() const {
  ir::require(flags_.results.empty() && flags_.junit.empty() && flags_.counts.empty() && !flags_.github,
              "--list runs nothing: -o, --junit, --counts and --github have nothing to write");
  ir::require(flags_.jobs.empty(), "--list runs nothing: there are no cases for --jobs");
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
  ir::require(shard || flags_.times.empty(), "--times says how long cases take, for --shard and --list");
  if (!shard) return;
  std::vector<PlannedCase> planned = plan_cases(flags_, batches_, false);
  shard_ = *shard;
  partition_ = share_out(planned, shard_.count);
  const std::size_t kept = keep_share(shard_.index, planned, batches_);
  if (!flags_.quiet || kept == 0)
    out_ << fmt::format("share {}: {} of {} cases\n", shard_.text(), kept, planned.size());
}

}  // namespace plumb::parity::cli
