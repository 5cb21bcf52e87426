// Reads the runs of results files, and names what their operands were by the bits of what came before.
#include "parity/studies/drift/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/formats/sums_json.hpp"
#include "ir/hdf5/vet.hpp"
#include "ir/raw/hash.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/stored_facts.hpp"
#include "parity/studies/drift/baseline.hpp"

namespace plumb::parity::studies::drift {
namespace {

namespace fs = std::filesystem;

/// A text of lines "name=value" without those of seeds.
std::string without_seeds(const std::string& subject) {
  std::string kept;
  for (std::size_t at = 0; at < subject.size();) {
    const std::size_t end = std::min(subject.find('\n', at), subject.size());
    const std::string line = subject.substr(at, end - at);
    if (!line.starts_with("seed=") && !line.starts_with("param_seed=")) kept += line + '\n';
    at = end + 1;
  }
  return kept;
}

/// An id without " seed=7" and " param_seed=7".
std::string id_without_seeds(std::string id) {
  for (const char* const word : {" seed=", " param_seed="}) {
    const std::size_t at = id.find(word);
    if (at != id.npos) id.erase(at, std::min(id.find(' ', at + 1), id.size()) - at);
  }
  return id;
}

std::uint64_t hash_of(std::span<const std::uint64_t> words) { return ir::raw::hash_bytes(std::as_bytes(words)); }

/// Reads one file; what runs of one graph share is read once.
class Reader {
 public:
  explicit Reader(const fs::path& path) : file_(path) {
    ir::require(file_.version() >= 2, path.string(), ": is of version 1, which does not say which run is which");
    const auto cut_off = file_.cut_off();
    ir::require(path.extension() != ".part" && !cut_off, path.string(), ": is of a run that was cut off",
                cut_off ? ": " + cut_off->text : "");
  }

  std::vector<Record> all() {
    std::vector<Record> records;
    for (const results::Run& run : file_.runs()) records.push_back(record(run));
    return records;
  }

 private:
  using Outputs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;  ///< hashes, by node and output

  Record record(const results::Run& run);
  Output output(const results::Run& run, std::size_t row, const std::map<std::uint32_t, std::uint64_t>& operands);
  std::map<std::uint32_t, std::uint64_t> operand_hashes(const results::Run& run);
  const std::vector<std::uint32_t>& edges(const results::Run& run);
  std::string sums(const results::Run& run, const results::Node& row);
  bool is_result(const results::Run& run, const std::string& name);
  std::string tool_of(const results::Run& run);

  results::ResultsFile file_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> edges_;
  std::map<std::uint32_t, std::set<std::string>> results_;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint16_t>, std::string> sums_;
};

const std::vector<std::uint32_t>& Reader::edges(const results::Run& run) {
  const auto [found, is_new] = edges_.try_emplace(run.graph_id);
  const std::string grid = "/graph/" + file_.name(run.graph_id) + "/edges";
  if (is_new && run.graph_id != 0 && file_.store().contains(grid)) found->second = file_.store().read_grid(grid);
  return found->second;
}

/// A hash of the bits that each node's operands had. A value that nobody saw, since it was fused away, is called by the
/// bits that its own node's operands had; what was fed is the same in all runs of a subject.
std::map<std::uint32_t, std::uint64_t> Reader::operand_hashes(const results::Run& run) {
  Outputs seen;
  for (const std::size_t r : file_.local_rows(run)) {
    const results::Node& row = file_.rows()[r];
    if (row.of_plain_run == 0 && row.out_hash != results::no_number) seen[{row.node, row.out}] = row.out_hash;
  }
  std::map<std::uint32_t, std::vector<std::array<std::uint32_t, 3>>> operands;  // by node: input, source, its output
  const auto& cells = edges(run);
  for (std::size_t e = 0; e + 4 <= cells.size(); e += 4)
    operands[cells[e + 2]].push_back({cells[e + 3], cells[e], cells[e + 1]});
  std::map<std::uint32_t, std::uint64_t> hashes;
  for (auto& [node, from] : operands) {  // a node stands behind those that it needs
    std::ranges::sort(from);
    std::vector<std::uint64_t> words;
    for (const auto& [input, source, output] : from) {
      const auto found = seen.find({source, output});
      const std::uint64_t unseen[] = {source, output, hashes.contains(source) ? hashes[source] : 0};
      words.push_back(found != seen.end() ? found->second : hash_of(unseen));
    }
    hashes[node] = hash_of(words);
  }
  return hashes;
}

std::string Reader::sums(const results::Run& run, const results::Node& row) {
  if (row.tree < 0) return "";
  const auto [found, is_new] = sums_.try_emplace({run.graph_id, row.tree, row.n_sums});
  if (is_new) found->second = core::sha256(ir::formats::to_json(file_.sums(run, row))).substr(0, 12);
  return found->second;
}

bool Reader::is_result(const results::Run& run, const std::string& name) {
  const auto [found, is_new] = results_.try_emplace(run.graph_id);
  if (const auto graph = is_new ? file_.graph_file(run) : nullptr)
    for (const ir::Value value : graph->graph.results()) found->second.insert(graph->graph.name(value));
  return found->second.contains(name);
}

std::string Reader::tool_of(const results::Run& run) {
  if (run.is_named()) {
    const results::Launch& launch = file_.launches()[run.launch];
    return fmt::format("{} {}{}", file_.name(launch.tool_version_id), file_.name(launch.commit_id),
                       launch.dirty != 0 ? " with changes" : "");
  }
  return file_.attribute("tool_version") + ' ' + file_.attribute("git_commit");
}

Output Reader::output(const results::Run& run, std::size_t r, const std::map<std::uint32_t, std::uint64_t>& operands) {
  const results::Node& row = file_.rows()[r];
  const policy::Facts facts = results::facts_of(file_, run, row);
  const results::StoredKernel kernel = file_.kernel(row);
  const auto fed = operands.find(row.node);
  Output made{.node = file_.label(run, row),
              .op = facts.op,
              .dtype = facts.dtype,
              .kernel = kernel.name,
              .tile = kernel.tile,
              .sums = sums(run, row),
              .verdict = known(row.verdict, core::Verdict::error),
              .out_hash = row.out_hash,
              .operands_hash = fed == operands.end() ? 0 : fed->second,
              .rms = row.rms,
              .max_abs = row.max_abs,
              .scale = row.ref_rms,
              .ratio = row.ratio_max,
              .bias = row.bias,
              .rho = row.rho,
              .misrounded = row.misrounded};
  const results::Node* const total = file_.total_of(r);
  if (total != nullptr && is_result(run, made.node)) made.rel_l2 = std::sqrt(total->nmse);
  return made;
}

Record Reader::record(const results::Run& run) {
  const std::string &subject = file_.name(run.subject_id), &options = file_.name(run.options_id);
  const results::StoredDevice& device = file_.device(run);
  const std::string candidate = file_.who(run);
  Record made{.id = run.is_named() ? id_without_seeds(file_.name(run.case_id)) : file_.subject(run),
              .file = file_.name(run.file_id),
              .graph = fmt::format("graph={}\nprecision={}\nfill={}:{}\n", file_.name(run.graph_id),
                                   file_.precision(run), run.fill.value, file_.name(run.fill_name_id)),
              .device = candidate.starts_with("candidate ") ? candidate : device.facts.device,
              .driver = device.facts.driver + ' ' + device.driver_info,
              .tool = tool_of(run),
              .seed = run.seed,
              .param_seed = run.param_seed,
              .utc = run.utc,
              .verdict = known(run.verdict, core::Verdict::error),
              .is_software = device.is_software};
  made.subject = run.is_named() ? without_seeds(file_.text_of("/subject/" + subject + "/text")) : made.graph;
  if (run.is_named()) made.options = file_.text_of("/options/" + options + "/text");
  const auto operands = operand_hashes(run);
  for (const std::size_t r : file_.local_rows(run)) {
    const results::Node& row = file_.rows()[r];
    if (row.of_plain_run == 0 && row.out_hash != results::no_number) made.outputs.push_back(output(run, r, operands));
  }
  return made;
}

}  // namespace

bool is_baseline(const fs::path& path) {
  ir::hdf5::vet(path, ir::hdf5::Extent::attributes_of_root);
  const auto values = ir::hdf5::Store::open(path).attributes("/");
  const auto found = values.find("schema");
  const auto* const schema = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return schema != nullptr && *schema == baseline_schema;
}

std::vector<Record> read_records(const fs::path& path) try {
  return is_baseline(path) ? read_baseline(path) : Reader(path).all();
} catch (const ir::Error& error) {
  const std::string message = error.what();
  ir::fail(message.starts_with(path.string()) ? "" : path.string() + ": ", message);
}

std::vector<Record> latest(std::vector<Record> records) {
  std::map<std::tuple<std::string, std::string, std::pair<std::uint64_t, std::uint64_t>>, std::size_t> places;
  std::vector<Record> kept;
  for (Record& one : records) {
    const auto [found, is_new] = places.try_emplace({one.subject, one.options, one.seeds()}, kept.size());
    if (is_new)
      kept.push_back(std::move(one));
    else if (!(one.utc < kept[found->second].utc))
      kept[found->second] = std::move(one);
  }
  return kept;
}

std::vector<Record> over(std::vector<Record> base, std::vector<Record> now) {
  std::set<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> replaced;
  for (const Record& one : now) replaced.emplace(one.subject, one.seeds());
  std::erase_if(base, [&](const Record& one) { return replaced.contains({one.subject, one.seeds()}); });
  std::ranges::move(now, std::back_inserter(base));
  return base;
}

}  // namespace plumb::parity::studies::drift
