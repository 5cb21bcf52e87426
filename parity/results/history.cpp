// Finds and judges the results files of a folder.
#include "parity/results/history.hpp"

#include <algorithm>
#include <utility>

#include "ir/error.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::results {

std::vector<JudgedRun> history_of(const std::filesystem::path& folder, const policy::Policy& policy,
                                  std::chrono::sys_days today) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::directory_iterator at(folder, problem);
  std::vector<std::pair<double, fs::path>> files;
  for (const fs::directory_iterator end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() != ".h5" || !is_results_file(at->path())) continue;
    const std::vector<Launch> launches = ResultsFile(at->path()).launches();
    files.emplace_back(launches.empty() || !(launches.front().utc > 0) ? 0 : launches.front().utc, at->path());
  }
  ir::require(!problem, folder.string(), ": ", problem.message());
  std::ranges::sort(files);
  std::vector<JudgedRun> runs;
  for (const auto& [utc, path] : files)
    for (JudgedRun& run : judge_results(path, &policy, today)) runs.push_back(std::move(run));
  return runs;
}

}  // namespace plumb::parity::results
