// Merges results files: which runs they have, each once, and what is missing of the whole.
#include "parity/results/merge/merge.hpp"

#include <fmt/format.h>

#include "ir/files/output_file.hpp"
#include "parity/results/merge/digest.hpp"
#include "parity/results/record_parts.hpp"

namespace plumb::parity::results {
namespace {

namespace fs = std::filesystem;

/// Where a run was found, and what tells whether another is the same one.
struct Found {
  std::size_t file = 0;
  std::uint32_t run = 0;
  std::string digest = {}, key = {};
  double utc = 0;
  core::Verdict verdict = core::Verdict::error;
};

using FoundRuns = std::map<cases::Uuid, Found>;

/// Adds the runs of a file that no earlier one has; how many these had.
std::size_t find_runs(const fs::path& path, std::size_t file, std::span<const fs::path> inputs, FoundRuns& found) {
  RunContent content(path);
  std::size_t repeated = 0;
  for (const Run& run : content.file.runs()) {
    // One that was tried again stands in place of no other.
    Found one{.file = file,
              .run = run.run,
              .digest = digest_of_run(content, run, DigestOf::runs),
              .key = run.retried == 0 ? content.file.key(run) : "",
              .utc = run.utc,
              .verdict = known(run.verdict, core::Verdict::error)};
    const cases::Uuid uuid = content.file.uuid(run);
    const auto [known_run, is_new] = found.try_emplace(uuid, one);
    if (is_new) continue;
    ir::require(known_run->second.digest == one.digest, path.string(), ": run ", cases::to_text(uuid), ", ",
                content.file.name(run.case_id), ", is another than the run of that uuid in ",
                inputs[known_run->second.file].string());
    ++repeated;
  }
  return repeated;
}

/// Whether `a` is to be kept of two runs with one key.
bool is_preferred(const Found& a, const cases::Uuid& its, const Found& b, const cases::Uuid& other, OnePerKey how) {
  if (how == OnePerKey::worst && core::is_worse(a.verdict, b.verdict)) return true;
  if (how == OnePerKey::worst && core::is_worse(b.verdict, a.verdict)) return false;
  return std::pair(a.utc, its) > std::pair(b.utc, other);
}

void keep_one_per_key(FoundRuns& found, OnePerKey how) {
  if (how == OnePerKey::all) return;
  std::map<std::string, FoundRuns::iterator> kept;
  for (auto one = found.begin(); one != found.end();) {
    const auto next = std::next(one);
    if (!one->second.key.empty()) {
      const auto [best, is_first] = kept.try_emplace(one->second.key, one);
      if (!is_first && is_preferred(one->second, one->first, best->second->second, best->second->first, how))
        found.erase(std::exchange(best->second, one));
      else if (!is_first)
        found.erase(one);
    }
    one = next;
  }
}

/// "1, 3, 5-9"
std::string list_of(const std::set<std::uint16_t>& shares) {
  std::string text;
  for (auto first = shares.begin(); first != shares.end();) {
    auto last = first, after = std::next(first);
    while (after != shares.end() && *after == *last + 1) last = after++;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *first);
    if (last != first) text += fmt::format("{}{}", *last == *first + 1 ? ", " : "-", *last);
    first = after;
  }
  return text;
}

/// The shares of each partition, and what is not there of them.
void find_missing_shares(const RunCopier& copier, std::span<const Launch> launches, std::vector<std::string>& missing) {
  struct Shares {
    std::uint16_t count = 1;
    std::set<std::uint16_t> there = {};
  };
  std::map<std::string, Shares> partitions;
  for (const Launch& launch : launches) {
    const std::string& name = copier.name(launch.partition_id);
    if (name.empty()) continue;
    partitions[name].count = launch.shards;
    partitions[name].there.insert(launch.shard);
  }
  std::string mixed;
  for (const auto& [name, shares] : partitions)
    mixed += fmt::format("{}{} (share {} of {})", mixed.empty() ? "" : "; ", name, list_of(shares.there), shares.count);
  if (partitions.size() > 1) missing.push_back("shares of different wholes: " + mixed);
  for (const auto& [name, shares] : partitions) {
    std::set<std::uint16_t> absent;
    // A number of 16 bits would begin again at 0 before it is above the most shares that there may be.
    for (std::uint32_t k = 1; k <= shares.count; ++k)
      if (const auto share = static_cast<std::uint16_t>(k); !shares.there.contains(share)) absent.insert(share);
    if (!absent.empty())
      missing.push_back(fmt::format("{} {} of {} {} missing{}", absent.size() == 1 ? "share" : "shares",
                                    list_of(absent), shares.count, absent.size() == 1 ? "is" : "are",
                                    partitions.size() > 1 ? " of " + name : ""));
  }
}

std::vector<std::string> missing_in(RunCopier& copier) {
  std::vector<std::string> missing;
  for (std::size_t l = 0; l < copier.launches().size(); ++l) {
    const Launch& launch = copier.launches()[l];
    if (known(launch.end, LaunchEnd::unknown) != LaunchEnd::cut_off) continue;
    const auto planned = launch.planned == no_number ? std::nullopt : std::optional(launch.planned);
    const std::string share = launch.shards > 1 ? fmt::format("share {}/{}: ", launch.shard, launch.shards) : "";
    missing.push_back(share + core::cut_off(copier.runs_of(l), planned).text);
  }
  find_missing_shares(copier, copier.launches(), missing);
  return missing;
}

}  // namespace

Merged merge(std::span<const fs::path> inputs, const fs::path& output, const MergeOptions& options) {
  if (!options.replace_any) version_replaced(output);
  ir::files::OutputFile out(output, {.kind = ir::files::FileKind::hdf5, .inputs = {inputs.begin(), inputs.end()}});
  Merged merged;
  FoundRuns found;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ir::require(options.partial || inputs[i].extension() != ".part", inputs[i].string(),
                ": is of a run that was cut off; --partial takes what there is of it");
    merged.repeated += find_runs(inputs[i], i, inputs, found);
  }
  keep_one_per_key(found, options.one_per_key);
  std::vector<std::set<std::uint32_t>> chosen(inputs.size());
  for (const auto& [uuid, one] : found) chosen.at(one.file).insert(one.run);
  ir::hdf5::Store store = ir::hdf5::Store::create(out.part());
  make_file(store, options.argv);
  RunCopier copier(store);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RunContent content(inputs[i]);
    std::vector<const Run*> runs;
    for (const Run& run : content.file.runs())
      if (chosen.at(i).contains(run.run)) runs.push_back(&run);
    copier.add(content, runs);
  }
  copier.finish();
  store.close();
  out.commit();
  merged.runs = found.size();
  merged.missing = missing_in(copier);
  return merged;
}

}  // namespace plumb::parity::results
