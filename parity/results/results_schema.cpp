#include "parity/results/results_schema.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "parity/core/sha256.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::results {
namespace {

using Json = nlohmann::ordered_json;

/// A dataset of the file, or of each `<...>` in its path.
struct Dataset {
  std::string path, doc;
  const TableType* type = nullptr;  ///< a compound's columns
  std::string kind = "compound";
  std::size_t width = 1;
  std::string units = "1";
  bool fixed = true;  ///< in every file, empty at first
};

constexpr auto expected_path = "/results/expected", pattern_path = "/results/pattern";

const std::vector<Dataset>& datasets() {
  static const std::vector<Dataset> all = {
      {"/names", "strings; a *_id is a place in this list, and place 0 is empty", nullptr, "text"},
      {"/runs", "one row a case", &run_type()},
      {"/results/nodes", "for each output of each node a row a part; local is judged", &node_type()},
      {"/results/hist_ulp", "signed log2 bins of ulps", nullptr, "u4", compare::Comparison::ulp_bins},
      {"/results/ulp_edges", "lower edges of hist_ulp", nullptr, "f8", compare::Comparison::ulp_bins, "ulp"},
      {"/results/hist_ratio", "log2 bins of error / bound", nullptr, "u4", compare::Comparison::ratio_bins},
      {"/results/ratio_edges", "lower edges of hist_ratio", nullptr, "f8", compare::Comparison::ratio_bins},
      {"/results/topk", "the worst elements", &top_element_type(), "compound", compare::Comparison::worst_kept},
      {"/results/relations", "what was asked of nodes by --metamorphic", &relation_type()},
      {pattern_path, "what elements that failed have in common", &pattern_type()},
      {expected_path,
       "what another implementation gave (--data, --expected): held to the truth by rule end_to_end, else the device "
       "to it",
       &expected_type()},
      {"/graph/<sha12>/json", "canonical graph, attribute sha256", nullptr, "text", 1, "1", false},
      {"/graph/<sha12>/nodes", "inputs, params, then nodes", &graph_node_type(), "compound", 1, "1", false},
      {"/graph/<sha12>/edges", "source node, its output, destination node, its input", nullptr, "u4", 4, "1", false},
      {"/graph/<sha12>/sums",
       "how kernels add: of a node, of which sum, unit, levels, order, kept, epilogue as one JSON text a row; a row of "
       "/results/nodes has n_sums of them from tree on",
       nullptr, "text", 1, "1", false},
      {"/policy/<sha12>/toml", "the policy as given, attribute sha256", nullptr, "text", 1, "1", false},
      {"/device/<uuid>/coopmat", "cooperative-matrix shapes", &coopmat_type(), "compound", 1, "1", false}};
  return all;
}

constexpr std::array groups = {"/graph", "/device", "/env", "/policy", "/inputs", "/tensors"};
constexpr std::array root_attributes = {"schema",    "schema_version", "tool_version", "git_commit",
                                        "git_dirty", "created_utc",    "argv"};

/// What version 2 added: files of version 1 do not have it.
constexpr std::array added_columns = {"kernel_id", "tile_id", "accumulation", "tree", "n_sums"};
/// What versions 2.1 to 2.7 added.
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
                                     "orthogonality"};
constexpr auto added_dataset = "/graph/<sha12>/sums";

/// Ops are added without the schema's changing.
bool is_open(const Column& column) { return column.choices.size() >= 2 && column.choices[1] == "param"; }

bool begins_with(const std::vector<std::string>& names, const std::vector<std::string>& first) {
  return first.size() <= names.size() && std::equal(first.begin(), first.end(), names.begin());
}

bool is_scalar(const std::string& path) { return path.ends_with("/json") || path.ends_with("/toml"); }

bool is_line(const Dataset& set) { return set.kind == "f8"; }

Json json_of(const Column& column) {
  Json json = {{"name", column.name}, {"type", ir::enum_name(column.kind)}, {"units", column.units}};
  if (column.count != 1) json["count"] = column.count;
  if (is_open(column))
    json["enum"] = {"input", "param", "<op>..."};
  else if (!column.choices.empty())
    json["enum"] = column.choices;
  return json;
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
  void check_columns(const std::string& path, const std::vector<Column>& found, const TableType& wanted);
  void check_text(const std::string& path, const std::string& id);
  bool has_name(std::uint32_t id) { return id < file_.names().size(); }
  void check_run(std::size_t r);
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
  const std::size_t rank = form.extents.size(), wanted_rank = is_scalar(path)                  ? 0
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
  if (!store_.contains(expected_path)) return;
  for (const ExpectedRow& row : store_.read<ExpectedRow>(expected_path, expected_type()).rows)
    expect(row.run < file_.runs().size() && has_name(row.name_id) && has_name(row.precision_id), expected_path,
           ": there is no run ", row.run, ", or a name is not in /names");
}

std::vector<std::string> Check::run() {
  const auto attributes = store_.attributes("/");
  for (const char* name : root_attributes) expect(attributes.contains(name), "attribute '", name, "' is missing");
  for (const char* group : groups) expect(store_.contains(group), group, " is missing");
  for (const Dataset& set : datasets()) {
    const bool is_late = set.path == expected_path || set.path == pattern_path;
    if (is_late && (file_.version() < 2 || !store_.contains(set.path))) continue;  // what 2.1 and before do not have
    if (set.fixed) {
      check_dataset(set, set.path);
      continue;
    }
    if (file_.version() < 2 && set.path == added_dataset) continue;
    const auto open = set.path.find('<'), shut = set.path.find('>');
    for (const std::string& child : store_.children(set.path.substr(0, open - 1)))
      check_dataset(set, set.path.substr(0, open) + child + set.path.substr(shut + 1));
  }
  for (const std::string& id : store_.children("/graph")) check_text("/graph/" + id + "/json", id);
  for (const std::string& id : store_.children("/policy")) check_text("/policy/" + id + "/toml", id);
  if (findings_.empty()) check_references();
  return std::move(findings_);
}

}  // namespace

void make_layout(ir::hdf5::Store& store) {
  store.set("/", "schema", std::string(schema_name));
  store.set("/", "schema_version", std::string(schema_version));
  for (const char* group : groups) store.make_group(group);
  for (const Dataset& set : datasets()) {
    if (!set.fixed) continue;
    if (set.type != nullptr)
      store.make_table(set.path, *set.type, set.width);
    else if (set.kind == "u4")
      store.make_grid(set.path, set.width);
    else if (set.kind == "text")
      store.make_texts(set.path);
  }
  const auto line = [&](const std::string& path, const auto& edges) {
    const auto count = static_cast<std::int64_t>(edges.size());
    store.write_tensor(path, ir::Tensor::of<double>({count}, {edges.begin(), edges.end()}));
  };
  line("/results/ulp_edges", compare::ulp_edges());
  line("/results/ratio_edges", compare::ratio_edges());
  store.set("/results/ulp_edges", "units", "ulp");
  store.attach_scale("/results/hist_ulp", "/results/ulp_edges");
  store.attach_scale("/results/hist_ratio", "/results/ratio_edges");
}

int require_results_file(const ir::hdf5::Store& store) {
  const auto attributes = store.attributes("/");
  const auto text = [&](const char* name) {
    const auto found = attributes.find(name);
    const auto* value = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return value != nullptr ? *value : std::string();
  };
  ir::require(text("schema") == schema_name, "attribute 'schema' is '", text("schema"), "', not '", schema_name, "'");
  const std::string version = text("schema_version");
  for (const int major : {1, 2})
    if (version.starts_with(ir::cat(major, '.'))) return major;
  ir::fail("schema_version is '", version, "', only 1.* and 2.* are known");
}

std::vector<std::string> check_schema(const std::filesystem::path& path) try {
  return Check(path).run();
} catch (const ir::Error& error) {
  return {error.what()};
}

std::string schema_json() {
  const std::string absent =
      "a float that was not computed is NaN; an index, a time or a hash that does not exist is 2^64 - 1";
  std::string text = "{\n";
  const auto say = [&](const std::string& key, const Json& value) {
    text += " \"" + key + "\": " + value.dump() + ",\n";
  };
  say("schema", schema_name);
  say("version", schema_version);
  say("attributes", root_attributes);
  say("groups", groups);
  say("not_computed", absent);
  text += " \"datasets\": [";
  for (const Dataset& set : datasets()) {
    const bool first = &set == &datasets().front();
    const Json rows = is_scalar(set.path) ? Json::array() : is_line(set) ? Json({set.width}) : Json({"rows"});
    Json head = {{"path", set.path}, {"doc", set.doc}, {"kind", set.kind}, {"shape", rows}};
    if (!is_line(set) && set.width != 1) head["shape"].push_back(set.width);
    if (set.type == nullptr) head["units"] = set.units;
    std::string line = head.dump();
    line.pop_back();
    text += (first ? "\n  " : ",\n  ") + line;
    if (set.type != nullptr)
      for (const Column& column : set.type->columns)
        text += (&column == &set.type->columns.front() ? ", \"columns\": [\n   " : ",\n   ") + json_of(column).dump();
    text += set.type != nullptr ? "]}" : "}";
  }
  return text + "\n ]\n}\n";
}

}  // namespace plumb::parity::results
