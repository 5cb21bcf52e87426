#include <cmath>

#include "parity/fit/fit.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::fit {
namespace {

using results::no_number;

const results::StoredValue* find(const results::StoredValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

std::string text_of(const results::StoredValues& values, const std::string& name) {
  const auto* const value = find(values, name);
  const auto* const text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? "" : *text;
}

/// Mistrusted outputs and those of the host prove nothing of the device; known failures are known.
bool is_evidence(core::Verdict verdict) {
  return verdict == core::Verdict::passed || verdict == core::Verdict::failed ||
         verdict == core::Verdict::nondeterministic || verdict == core::Verdict::error;
}

struct Place {
  std::string name;
  bool is_software = true;  ///< also what does not say that it is hardware
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : store_(results::Hdf5Store::open(path)) {
    results::require_results_file(store_);
    names_ = store_.read_texts("/names");
  }
  Samples all(std::uint64_t first_run);

 private:
  const std::string& name(std::uint32_t id) const {
    ir::require(id < names_.size(), "name ", id, " is not in /names");
    return names_[id];
  }
  const std::vector<results::GraphNode>& graph(std::uint32_t id);
  const Place& device(std::uint32_t id);

  const results::Hdf5Store store_;
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::vector<results::GraphNode>> graphs_;
  std::map<std::uint32_t, Place> devices_;
};

const std::vector<results::GraphNode>& Reader::graph(std::uint32_t id) {
  const auto [found, is_new] = graphs_.try_emplace(id);
  if (is_new)
    found->second = store_.read<results::GraphNode>("/graph/" + name(id) + "/nodes", results::graph_node_type()).rows;
  return found->second;
}

const Place& Reader::device(std::uint32_t id) {
  const auto [found, is_new] = devices_.try_emplace(id);
  const std::string path = "/device/" + name(id);
  if (!is_new || id == 0 || !store_.contains(path)) return found->second;
  const auto values = store_.attributes(path);
  const auto* const software = find(values, "is_software");
  const auto* const flag = software == nullptr ? nullptr : std::get_if<std::int64_t>(software);
  found->second = {text_of(values, "name"), flag == nullptr || *flag != 0};
  return found->second;
}

Samples Reader::all(std::uint64_t first_run) {
  const auto runs = store_.read<results::Run>("/runs", results::run_type()).rows;
  Samples made{.samples = {}, .runs = runs.size(), .commit = text_of(store_.attributes("/"), "git_commit")};
  for (const results::Node& row : store_.read<results::Node>("/results/nodes", results::node_type()).rows) {
    if (row.part != results::Part::local || row.out_hash == no_number || !is_evidence(row.verdict)) continue;
    ir::require(row.run < runs.size(), "there is no run ", row.run);
    const results::Run& run = runs[row.run];
    const auto& nodes = graph(run.graph_id);
    ir::require(row.node < nodes.size(), "run ", row.run, ": there is no node ", row.node);
    const Place& place = device(run.device_id);
    ir::require(!place.name.empty(), "run ", row.run, " does not say on which device it was");
    const std::string label = name(nodes[row.node].name_id) + (row.out != 0 ? ir::cat(':', row.out) : "");
    const auto facts = results::facts_of({.device = place.name}, nodes[row.node], label, run.fill);
    const bool is_clean = row.verdict == core::Verdict::passed && row.n_bad == 0;
    if (is_clean && std::isnan(row.ratio_max)) continue;  // nothing was measured
    made.samples.push_back({{facts.op, facts.in, facts.dtype, facts.accumulation, facts.device},
                            label,
                            first_run + row.run,
                            run.seed,
                            row.ratio_max,
                            is_clean,
                            place.is_software});
  }
  return made;
}

}  // namespace

Samples read_samples(const std::filesystem::path& path, std::uint64_t first_run) try {
  return Reader(path).all(first_run);
} catch (const ir::Error& error) {
  const std::string message = error.what();
  ir::fail(message.starts_with(path.string()) ? "" : path.string() + ": ", message);
}

}  // namespace plumb::parity::fit
