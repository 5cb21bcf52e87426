#include <cmath>

#include "parity/fit/fit.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::fit {
namespace {

/// Mistrusted outputs and those of the host prove nothing of the device; known failures are known.
bool is_evidence(core::Verdict verdict) {
  return verdict == core::Verdict::passed || verdict == core::Verdict::failed ||
         verdict == core::Verdict::nondeterministic || verdict == core::Verdict::error;
}

std::optional<Sample> sample_of(results::ResultsFile& file, const results::Node& row) {
  if (row.part != results::Part::local || row.out_hash == results::no_number || !is_evidence(row.verdict)) return {};
  ir::require(row.run < file.runs().size(), "there is no run ", row.run);
  const results::Run& run = file.runs()[row.run];
  const policy::Facts facts = results::facts_of(file, run, row);
  ir::require(!facts.device.empty(), "run ", row.run, " does not say on which device it was");
  const bool is_clean = row.verdict == core::Verdict::passed && row.n_bad == 0;
  if (is_clean && std::isnan(row.ratio_max)) return {};  // nothing was measured
  return Sample{{facts.op, facts.in, facts.dtype, facts.accumulation, facts.device},
                facts.node,
                row.run,
                run.seed,
                row.ratio_max,
                is_clean,
                file.device(run).is_software,
                row.sigma_max,
                row.lambda,
                row.misrounded,
                file.name(run.graph_id),
                run.param_seed,
                row.out_hash};
}

}  // namespace

Samples read_samples(const std::filesystem::path& path, std::uint64_t first_run) try {
  results::ResultsFile file(path);
  Samples made{
      .samples = {}, .runs = file.runs().size(), .commit = file.attribute("git_commit"), .cut_off = file.cut_off()};
  for (const results::Node& row : file.rows()) {
    auto sample = sample_of(file, row);
    if (!sample) continue;
    sample->run += first_run;
    made.samples.push_back(std::move(*sample));
  }
  return made;
} catch (const ir::Error& error) {
  const std::string message = error.what();
  ir::fail(message.starts_with(path.string()) ? "" : path.string() + ": ", message);
}

}  // namespace plumb::parity::fit
