// The check of a results file against its schema.
#include <algorithm>
#include <map>

#include "parity/core/sha256.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {
namespace {

/// Columns that version 2 added: files of version 1 do not have them.
constexpr std::array added_columns = {"kernel_id", "tile_id", "accumulation", "tree", "n_sums"};
/// Columns that versions 2.1 to 2.17 added.
constexpr std::array late_columns = {"n_open",
                                     "n_replayed",
                                     "n_wide",
                                     "n_out_of_range",
                                     "coverage_flops",
                                     "coverage_elements",
                                     "least_flops",
                                     "least_elements",
                                     "must",
                                     "must_met",
                                     "fill_name_id",
                                     "no_truth",
                                     "rounds_off",
                                     "sensitivity",
                                     "rho",
                                     "bits_accumulator",
                                     "bits_operand",
                                     "misrounded",
                                     "misrounded_bound",
                                     "bias",
                                     "bias_t",
                                     "plain",
                                     "of_plain_run",
                                     "n_oracle",
                                     "n_oracle_bad",
                                     "n_replay",
                                     "n_replay_equal",
                                     "lambda",
                                     "n_limits",
                                     "sigma_max",
                                     "ratio_certain",
                                     "file_id",
                                     "why_id",
                                     "kind",
                                     "n_units",
                                     "n_free",
                                     "free_bound",
                                     "residual",
                                     "orthogonality",
                                     "guilty",
                                     "uuid",
                                     "attempt",
                                     "retried",
                                     "attempts_id",
                                     "planted_id",
                                     "step",
                                     "launch",
                                     "case_id",
                                     "subject_id",
                                     "options_id",
                                     "param_seed",
                                     "alternative",
                                     "fuse",
                                     "set_id",
                                     "profile_id",
                                     "profile_file_id",
                                     "policy_file_id",
                                     "path_id",
                                     "repro_id",
                                     "message_id",
                                     "notes_id",
                                     "exit",
                                     "planned",
                                     "end",
                                     "candidate_id",
                                     "about_id",
                                     "group",
                                     "paired",
                                     "shard",
                                     "shards",
                                     "partition_id",
                                     "limit_by",
                                     "limit_sigma",
                                     "limit_fixed",
                                     "limit_certain",
                                     "special",
                                     "special_at"};
constexpr auto added_dataset = "/graph/<sha12>/sums";

/// Groups whose children are called by the hash of a text.
constexpr std::array<std::pair<const char*, const char*>, 4> named_texts = {
    {{"/graph", "json"}, {"/policy", "toml"}, {"/subject", "text"}, {"/options", "text"}}};

bool begins_with(const std::vector<std::string>& names, const std::vector<std::string>& first) {
  return first.size() <= names.size() && std::equal(first.begin(), first.end(), names.begin());
}

class Check {
 public:
  explicit Check(const std::filesystem::path& path) : file_(path), store_(file_.store()) {}
  std::vector<std::string> run();

 private:
  template <class... Parts>
  void expect(bool holds, const Parts&... parts) {
    if (!holds) findings_.push_back(ir::cat(parts...));
  }
  void check_dataset(const Dataset& set, const std::string& path);
  void check_datasets(const Dataset& set);
  void check_columns(const std::string& path, const std::vector<Column>& found, const TableType& wanted);
  void check_text(const std::string& path, const std::string& id);
  bool has_name(std::uint32_t id) { return id < file_.names().size(); }
  void check_run(std::size_t r);
  void check_params(const std::string& inputs);
  int rules_of(const Run& run);
  void check_row(std::size_t i);
  void check_references();

  bool may_lack(const Column& column) const;

  ResultsFile file_;
  const ir::hdf5::Store& store_;
  std::map<std::uint32_t, int> rules_;  ///< by the name of the policy
  std::vector<std::string> findings_;
};

bool Check::may_lack(const Column& column) const {
  if (std::ranges::find(late_columns, column.name) != late_columns.end()) return true;
  return file_.version() < 2 && std::ranges::find(added_columns, column.name) != added_columns.end();
}

void Check::check_columns(const std::string& path, const std::vector<Column>& found, const TableType& wanted) {
  for (const Column& column : wanted.columns) {
    const auto theirs = std::ranges::find(found, column.name, &Column::name);
    if (theirs == found.end()) {
      if (may_lack(column)) continue;
      findings_.push_back(path + ": column '" + column.name + "' is missing");
      continue;
    }
    expect(theirs->kind == column.kind && theirs->count == column.count, path, ": column '", column.name, "' is ",
           ir::enum_name(theirs->kind), "[", theirs->count, "], not ", ir::enum_name(column.kind), "[", column.count,
           "]");
    // Names are added behind those of earlier versions.
    const bool same = is_open(column) ? is_open(*theirs) : begins_with(column.choices, theirs->choices);
    expect(same, path, ": column '", column.name, "' has other names for its values");
  }
}

void Check::check_dataset(const Dataset& set, const std::string& path) {
  if (!store_.contains(path)) {
    findings_.push_back(path + " is missing");
    return;
  }
  const ir::hdf5::StoredForm form = store_.form(path);
  if (form.kind != set.kind) {
    findings_.push_back(ir::cat(path, " is ", form.kind, ", not ", set.kind));
    return;
  }
  if (set.type != nullptr) check_columns(path, form.columns, *set.type);
  const std::size_t rank = form.extents.size(), wanted_rank = is_scalar(set)                   ? 0
                                                              : set.width == 1 || is_line(set) ? 1
                                                                                               : 2;
  expect(rank == wanted_rank, path, " has rank ", rank, ", not ", wanted_rank);
  if (rank > 0 && set.width != 1)
    expect(form.extents.back() == set.width, path, " is ", form.extents.back(), " wide, not ", set.width);
  const bool grows = rank > 0 && !is_line(set);
  expect(form.appendable == grows, path, grows ? " cannot grow" : " can grow");
  if (grows && set.kind != "text")
    expect(form.shuffle && form.gzip && form.fletcher32, path, " is not compressed with shuffle, gzip and fletcher32");
  if (set.kind != "text") expect(store_.attributes(path).contains("units"), path, " has no units");
}

/// A text that is called by its hash.
void Check::check_text(const std::string& path, const std::string& id) {
  if (!store_.contains(path)) return;
  const std::string hash = core::sha256(store_.read_text(path));
  expect(hash.starts_with(id), path, " has the hash ", hash);
  const auto attributes = store_.attributes(path);
  const auto stated = attributes.find("sha256");
  expect(stated != attributes.end() && stated->second == ir::hdf5::StoredValue(hash), path,
         ": attribute sha256 is not ", hash);
}

/// Every number of a run that stands for something must stand for something.
void Check::check_run(std::size_t r) {
  const Run& run = file_.runs()[r];
  expect(run.run == r, "/runs[", r, "] is called ", run.run);
  const auto named = [&](std::uint32_t id, const std::string& folder) {
    if (!has_name(id)) return expect(false, "/runs[", r, "]: ", folder, " ", id, " is not in /names");
    if (id != 0)
      expect(store_.contains(folder + file_.name(id)), "/runs[", r, "]: ", folder, file_.name(id), " is missing");
  };
  named(run.graph_id, "/graph/");
  named(run.device_id, "/device/");
  named(run.env_id, "/env/");
  named(run.policy_id, "/policy/");
  named(run.subject_id, "/subject/");
  named(run.options_id, "/options/");
  check_params(ir::cat("/inputs/", r));
}

/// The params that a run names are there.
void Check::check_params(const std::string& inputs) {
  if (!store_.contains(inputs)) return;
  const auto said = store_.attributes(inputs);
  const auto params = said.find("params");
  if (params == said.end()) return;
  const auto* const id = std::get_if<std::string>(&params->second);
  expect(id != nullptr && store_.contains("/params/" + *id), inputs, ": its params are missing");
}

/// How many rules the policy of a run has.
int Check::rules_of(const Run& run) {
  const auto [found, is_new] = rules_.try_emplace(run.policy_id, 0);
  const std::string path = file_.policy_path(run);
  if (!is_new || path.empty() || !store_.contains(path)) return found->second;
  const policy::Policy policy = policy::parse(store_.read_text(path), path, policy::AccKey::known);
  found->second = static_cast<int>(policy.rules.size());
  return found->second;
}

void Check::check_row(std::size_t i) {
  const Node& row = file_.rows()[i];
  const Run* const run = row.run < file_.runs().size() ? &file_.runs()[row.run] : nullptr;
  const bool exists = run != nullptr && file_.find_node(*run, row) != nullptr;
  expect(exists, "/results/nodes[", i, "]: there is no node ", row.node, " in run ", row.run);
  expect(has_name(row.kernel_id) && has_name(row.tile_id), "/results/nodes[", i,
         "]: its kernel or tile is not in /names");
  if (run != nullptr)
    expect(row.rule < rules_of(*run), "/results/nodes[", i, "]: there is no rule ", row.rule, " in the policy of run ",
           row.run);
  if (!exists || row.tree < 0) return;
  const std::string list = "/graph/" + file_.name(run->graph_id) + "/sums";
  const auto end = static_cast<std::uint64_t>(row.tree) + row.n_sums;
  expect(end <= store_.rows(list), "/results/nodes[", i, "]: there is no sum ", end - 1, " in ", list);
}

void Check::check_references() {
  for (const char* path : {"/results/hist_ulp", "/results/hist_ratio", "/results/topk"})
    expect(store_.rows(path) == file_.rows().size(), path, " has ", store_.rows(path), " rows, /results/nodes ",
           file_.rows().size());
  for (std::size_t r = 0; r < file_.runs().size(); ++r) check_run(r);
  for (std::size_t i = 0; i < file_.rows().size(); ++i) check_row(i);
  for (const RelationRow& row : store_.read<RelationRow>("/results/relations", relation_type()).rows) {
    const bool exists =
        row.run < file_.runs().size() && row.node < file_.graph(file_.runs()[row.run]).size() && has_name(row.how_id);
    expect(exists, "/results/relations: there is no node ", row.node, " in run ", row.run);
  }
  if (store_.contains(pairs_path))
    for (const PairRow& row : store_.read<PairRow>(pairs_path, pair_type()).rows)
      expect(std::max(row.run, row.second_run) < file_.runs().size() && has_name(row.value_id) &&
                 has_name(row.first_id) && has_name(row.second_id),
             pairs_path, ": there is no run ", std::max(row.run, row.second_run), ", or a name is not in /names");
  if (store_.contains(maps_path))
    for (const MapRow& row : store_.read<MapRow>(maps_path, map_type()).rows)
      expect(row.run < file_.runs().size() && row.node < file_.graph(file_.runs()[row.run]).size(), maps_path,
             ": there is no node ", row.node, " in run ", row.run);
  constexpr auto expected_path = "/results/expected";
  if (!store_.contains(expected_path)) return;
  for (const ExpectedRow& row : store_.read<ExpectedRow>(expected_path, expected_type()).rows)
    expect(row.run < file_.runs().size() && has_name(row.name_id) && has_name(row.precision_id), expected_path,
           ": there is no run ", row.run, ", or a name is not in /names");
}

/// Every dataset that a path stands for.
void Check::check_datasets(const Dataset& set) {
  using Place = Dataset::Place;
  if (set.place == Place::late && (file_.version() < 2 || !store_.contains(set.path))) return;
  if (set.is_at_first()) return check_dataset(set, set.path);
  if (file_.version() < 2 && set.path == added_dataset) return;
  const auto open = set.path.find('<'), shut = set.path.find('>');
  const std::string group = set.path.substr(0, open - 1);
  if (!store_.contains(group)) return;
  for (const std::string& child : store_.children(group)) {
    const std::string path = group + '/' + child + set.path.substr(shut + 1);
    if (set.place == Place::in_each || store_.contains(path)) check_dataset(set, path);
  }
}

std::vector<std::string> Check::run() {
  const auto attributes = store_.attributes("/");
  for (const char* name : root_attributes) expect(attributes.contains(name), "attribute '", name, "' is missing");
  for (const char* group : groups) expect(store_.contains(group), group, " is missing");
  for (const Dataset& set : datasets()) check_datasets(set);
  for (const auto& [group, name] : named_texts)
    if (store_.contains(group))
      for (const std::string& id : store_.children(group)) check_text(ir::cat(group, '/', id, '/', name), id);
  if (findings_.empty()) check_references();
  return std::move(findings_);
}

}  // namespace

std::vector<std::string> check_schema(const std::filesystem::path& path) try {
  return Check(path).run();
} catch (const ir::Error& error) {
  return {error.what()};
}

}  // namespace plumb::parity::results
