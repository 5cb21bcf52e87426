// The layout of results files: every dataset, an empty file, and the schema for machines.
#include "parity/results/results_schema.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace plumb::parity::results {

const std::vector<Dataset>& datasets() {
  static const std::vector<Dataset> all = {
      {"/names", "strings; a *_id is a place in this list, and place 0 is empty", nullptr, "text"},
      {"/runs", "one row a case", &run_type()},
      {"/launches", "a row a start of the program", &launch_type(), "compound", 1, "1", Dataset::Place::late},
      {"/results/nodes", "for each output of each node a row a part; local is judged", &node_type()},
      {"/results/hist_ulp", "signed log2 bins of ulps", nullptr, "u4", compare::Comparison::ulp_bins},
      {"/results/ulp_edges", "lower edges of hist_ulp", nullptr, "f8", compare::Comparison::ulp_bins, "ulp"},
      {"/results/hist_ratio", "log2 bins of error / bound", nullptr, "u4", compare::Comparison::ratio_bins},
      {"/results/ratio_edges", "lower edges of hist_ratio", nullptr, "f8", compare::Comparison::ratio_bins},
      {"/results/topk", "the worst elements", &top_element_type(), "compound", compare::Comparison::worst_kept},
      {"/results/relations", "what was asked of nodes by --metamorphic", &relation_type()},
      {"/results/pattern", "what elements that failed have in common", &pattern_type(), "compound", 1, "1",
       Dataset::Place::late},
      {maps_path,
       "the largest error / limit in each of 64 x 64 parts of outputs that are beyond their limit or among the worst "
       "of a case, row by row: 127 + 127/8 log2 of it, from 0 to 254, or 255 where it is not finite; rows and columns "
       "are the output's",
       &map_type(), "compound", 1, "1", Dataset::Place::late},
      {"/results/expected",
       "what another implementation gave (--data, --expected): held to the truth by rule end_to_end, else the device "
       "to it",
       &expected_type(), "compound", 1, "1", Dataset::Place::late},
      {"/results/pairs",
       "results of a graph as two candidates of one verify gave them: elements with other bits, the largest "
       "difference, "
       "and the rms of both errors against the truth",
       &pair_type(), "compound", 1, "1", Dataset::Place::late},
      {"/graph/<sha12>/json", "canonical graph, attribute sha256", nullptr, "text", 1, "1", Dataset::Place::in_each},
      {"/graph/<sha12>/nodes", "inputs, params, then nodes", &graph_node_type(), "compound", 1, "1",
       Dataset::Place::in_each},
      {"/graph/<sha12>/edges", "source node, its output, destination node, its input", nullptr, "u4", 4, "1",
       Dataset::Place::in_each},
      {"/graph/<sha12>/sums",
       "how kernels add: of a node, of which sum, unit, levels, order, kept, epilogue as one JSON text a row; a row of "
       "/results/nodes has n_sums of them from tree on",
       nullptr, "text", 1, "1", Dataset::Place::in_each},
      {"/subject/<sha12>/text", "what a run was fed, a line name=value each, attribute sha256", nullptr, "text", 1, "1",
       Dataset::Place::in_each},
      {"/subject/<sha12>/plan", "the precision plan of that, as given", nullptr, "text", 1, "1",
       Dataset::Place::in_some},
      {"/options/<sha12>/text", "how a run was carried out, a line name=value each, attribute sha256", nullptr, "text",
       1, "1", Dataset::Place::in_each},
      {"/options/<sha12>/profile", "the device profile of that, as given", nullptr, "text", 1, "1",
       Dataset::Place::in_some},
      {"/policy/<sha12>/toml", "the policy as given, attribute sha256", nullptr, "text", 1, "1",
       Dataset::Place::in_each},
      {"/device/<uuid>/coopmat", "cooperative-matrix shapes", &coopmat_type(), "compound", 1, "1",
       Dataset::Place::in_each}};
  return all;
}

bool is_open(const Column& column) { return column.choices.size() >= 2 && column.choices[1] == "param"; }

bool is_scalar(const Dataset& set) {
  const bool is_in_group = set.place == Dataset::Place::in_each || set.place == Dataset::Place::in_some;
  return is_in_group && set.kind == "text" && !set.path.ends_with("/sums");
}

bool is_line(const Dataset& set) { return set.kind == "f8"; }

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Column& column) {
  Json json = {{"name", column.name}, {"type", ir::enum_name(column.kind)}, {"units", column.units}};
  if (column.count != 1) json["count"] = column.count;
  if (is_open(column))
    json["enum"] = {"input", "param", "<op>..."};
  else if (!column.choices.empty())
    json["enum"] = column.choices;
  return json;
}

}  // namespace

void make_layout(ir::hdf5::Store& store) {
  store.set("/", "schema", std::string(schema_name));
  store.set("/", "schema_version", std::string(schema_version));
  for (const char* group : groups) store.make_group(group);
  for (const char* group : late_groups) store.make_group(group);
  for (const Dataset& set : datasets()) {
    if (!set.is_at_first()) continue;
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
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  ir::require(version.empty() || !is_digit(version.front()), "schema_version is '", version,
              "', and only 1.* and 2.* are known: it was written by a newer plumb");
  ir::fail("schema_version is '", version, "', only 1.* and 2.* are known");
}

int minor_of(std::string_view version) {
  int minor = 0;
  version.remove_prefix(std::min<std::size_t>(version.size(), 2));
  std::from_chars(version.data(), version.data() + version.size(), minor);
  return minor;
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
  std::vector<const char*> all(groups.begin(), groups.end());
  all.insert(all.end(), late_groups.begin(), late_groups.end());
  say("groups", all);
  say("not_computed", absent);
  text += " \"datasets\": [";
  for (const Dataset& set : datasets()) {
    const bool first = &set == &datasets().front();
    const Json rows = is_scalar(set) ? Json::array() : is_line(set) ? Json({set.width}) : Json({"rows"});
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
