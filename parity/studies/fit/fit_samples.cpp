#include <cmath>
#include <set>

#include "parity/results/results_file.hpp"
#include "parity/results/stored_facts.hpp"
#include "parity/studies/fit/fit.hpp"

namespace plumb::parity::studies::fit {
namespace {

/// Mistrusted outputs and those of the host prove nothing of the device; known failures are known.
bool is_evidence(core::Verdict verdict) {
  return verdict == core::Verdict::passed || verdict == core::Verdict::failed ||
         verdict == core::Verdict::nondeterministic || verdict == core::Verdict::error;
}

/// The names of the results of each graph.
class GraphResults {
 public:
  explicit GraphResults(results::ResultsFile& file) : file_(file) {}

  bool has(const results::Run& run, const std::string& name) {
    auto [found, is_new] = names_.try_emplace(run.graph_id);
    if (const auto graph = is_new ? file_.graph_file(run) : nullptr)
      for (const ir::Value value : graph->graph.results()) found->second.insert(graph->graph.name(value));
    return found->second.contains(name);
  }

 private:
  results::ResultsFile& file_;
  std::map<std::uint32_t, std::set<std::string>> names_;
};

/// The errors of a result against the truth of the graph as it was; nothing for other outputs.
std::optional<Total> total_of(results::ResultsFile& file, std::size_t r, GraphResults& results) {
  const results::Run& run = file.runs()[file.rows()[r].run];
  const results::Node* const total = file.total_of(r);
  if (total == nullptr || !results.has(run, file.label(run, *total))) return {};
  return Total{std::sqrt(total->nmse), total->max_abs};
}

std::optional<Sample> sample_of(results::ResultsFile& file, std::size_t r, GraphResults& results) {
  const results::Node& row = file.rows()[r];
  if (row.part != results::Part::local || row.out_hash == results::no_number || !is_evidence(row.verdict)) return {};
  ir::require(row.run < file.runs().size(), "there is no run ", row.run);
  const results::Run& run = file.runs()[row.run];
  const policy::Facts facts = results::facts_of(file, run, row);
  ir::require(!facts.device.empty(), "run ", row.run, " does not say on which device it was");
  const bool is_clean = row.verdict == core::Verdict::passed && row.n_bad == 0;
  const std::optional<Total> total = total_of(file, r, results);
  if (is_clean && std::isnan(row.ratio_max) && !total) return {};  // nothing was measured
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
                row.out_hash,
                total};
}

}  // namespace

Samples read_samples(const std::filesystem::path& path, std::uint64_t first_run, bool allow_planted) try {
  results::ResultsFile file(path);
  Samples made{
      .samples = {}, .runs = file.runs().size(), .commit = file.attribute("git_commit"), .cut_off = file.cut_off()};
  for (const results::Run& run : file.runs())
    ir::require(allow_planted || run.planted_id == 0, "run ", file.name(run.case_id),
                " has a fault that is there on purpose, and limits are not fitted to it without --allow-planted");
  GraphResults results(file);
  for (std::size_t r = 0; r < file.rows().size(); ++r) {
    auto sample = sample_of(file, r, results);
    if (!sample) continue;
    sample->run += first_run;
    made.samples.push_back(std::move(*sample));
  }
  return made;
} catch (const ir::Error& error) {
  const std::string message = error.what();
  ir::fail(message.starts_with(path.string()) ? "" : path.string() + ": ", message);
}

}  // namespace plumb::parity::studies::fit
