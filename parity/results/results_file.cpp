// The reader of results files: tables when they are first asked for, rows checked against the graphs they are of.
#include "parity/results/results_file.hpp"

#include <algorithm>

#include "ir/formats/sums_json.hpp"
#include "ir/hdf5/vet.hpp"
#include "parity/core/sha256.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {
namespace {

std::string value_text(const ir::hdf5::StoredValues& values, const std::string& name) {
  const auto found = values.find(name);
  const auto* const text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

/// Where a file does not say that its device is hardware, it may be software.
bool says_software(const ir::hdf5::StoredValues& values) {
  const auto found = values.find("is_software");
  const auto* const flag = found == values.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return flag == nullptr || *flag != 0;
}

/// A stranger's file is read to its end once before it is trusted.
const std::filesystem::path& vetted(const std::filesystem::path& path) {
  ir::hdf5::vet(path);
  return path;
}

/// The version of a results file; the error for any other file names it, since a command may read several.
int version_of(const ir::hdf5::Store& store, const std::filesystem::path& path) try {
  return require_results_file(store);
} catch (const ir::Error& error) {
  ir::fail(path.string(), ": is no results file: ", error.what());
}

}  // namespace

ResultsFile::ResultsFile(const std::filesystem::path& path)
    : path_(path),
      store_(ir::hdf5::Store::open(vetted(path))),
      version_(version_of(store_, path)),
      is_before_2_9_(version_ < 2 || minor_of(attribute("schema_version")) < 9) {}

std::string ResultsFile::attribute(const std::string& name) const { return value_text(store_.attributes("/"), name); }

const std::vector<std::string>& ResultsFile::names() {
  if (!names_) names_ = store_.read_texts("/names");
  return *names_;
}

std::string key_of(const std::string& subject, const std::string& options) { return subject + '+' + options; }

const std::string& ResultsFile::name(std::uint32_t id) {
  static const std::string unknown = "?";
  return id < names().size() ? names()[id] : unknown;
}

const std::vector<Run>& ResultsFile::runs() {
  if (runs_) return *runs_;
  auto rows = store_.read<Run>("/runs", run_type()).rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Run& run = rows[r];
    ir::require(run.run == r, path_.string(), ": /runs[", r, "] is called ", run.run);
    require_names(run_type(), std::as_bytes(std::span(&run, 1)), "/runs", r);
    ir::require(!run.is_named() || run.launch < launches().size(), path_.string(), ": /runs[", r, "] is of launch ",
                run.launch, ", and there are ", launches().size());
  }
  runs_ = std::move(rows);
  return *runs_;
}

void ResultsFile::require_names(const TableType& type, std::span<const std::byte> row, std::string_view table,
                                std::size_t place) {
  for (const Column& column : type.columns) {
    if (!names_text(column)) continue;
    const std::uint32_t id = number_in(row, column);
    ir::require(id < names().size(), path_.string(), ": ", table, "[", place, "]: ", column.name, " is ", id,
                ", and /names has ", names().size(), " texts");
  }
}

const std::vector<Launch>& ResultsFile::launches() {
  constexpr auto table = "/launches";
  if (launches_) return *launches_;
  launches_.emplace();
  if (store_.contains(table)) launches_ = store_.read<Launch>(table, launch_type()).rows;
  return *launches_;
}

std::optional<core::RunFinding> ResultsFile::cut_off() {
  std::uint64_t done = 0, planned = 0;
  bool is_cut_off = false, is_planned = true;
  for (std::size_t l = 0; l < launches().size(); ++l) {
    const Launch& launch = launches()[l];
    if (known(launch.end, LaunchEnd::unknown) != LaunchEnd::cut_off) continue;
    is_cut_off = true;
    is_planned &= launch.planned != no_number;
    done += static_cast<std::uint64_t>(std::ranges::count_if(
        runs(), [&](const Run& run) { return run.is_named() && run.launch == l && run.retried == 0; }));
    if (is_planned) planned += std::min(launch.planned, no_number - planned);
  }
  if (!is_cut_off) return std::nullopt;
  return core::cut_off(done, is_planned ? std::optional(planned) : std::nullopt);
}

cases::Uuid ResultsFile::uuid(const Run& run) {
  if (run.uuid != cases::Uuid{}) return run.uuid;
  const auto values = store_.attributes("/");
  const auto found = values.find("argv");
  std::string text;
  if (const auto* const argv = found == values.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->second))
    for (const std::string& word : *argv) text += word + '\n';
  const std::string digits = core::sha256(text + attribute("created_utc") + '\n' + std::to_string(run.run));
  cases::Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  return uuid;
}

const std::vector<Node>& ResultsFile::rows() {
  if (rows_) return *rows_;
  rows_ = store_.read<Node>("/results/nodes", node_type()).rows;
  for (std::size_t r = 0; r < rows_->size(); ++r)
    ir::require((*rows_)[r].run < runs().size(), path_.string(), ": /results/nodes[", r, "] is of run ",
                (*rows_)[r].run, ", and there are ", runs().size());
  return *rows_;
}

const std::vector<std::size_t>& ResultsFile::local_rows(const Run& run) {
  if (!local_) {
    local_.emplace();
    for (std::size_t r = 0; r < rows().size(); ++r)
      if (rows()[r].part == Part::local) (*local_)[rows()[r].run].push_back(r);
  }
  return (*local_)[run.run];
}

const std::vector<ExpectedRow>& ResultsFile::expected() {
  constexpr auto path = "/results/expected";
  if (expected_) return *expected_;
  expected_.emplace();
  if (store_.contains(path)) expected_ = store_.read<ExpectedRow>(path, expected_type()).rows;  // since version 2.2
  for (const ExpectedRow& row : *expected_)
    ir::require(row.run < runs().size(), path_.string(), ": ", path, " has a row of run ", row.run, ", and there are ",
                runs().size());
  return *expected_;
}

std::vector<ExpectedRow> ResultsFile::expected(const Run& run) {
  std::vector<ExpectedRow> found;
  std::ranges::copy_if(expected(), std::back_inserter(found), [&](const auto& row) { return row.run == run.run; });
  return found;
}

std::vector<RelationRow> ResultsFile::relations(const Run& run) {
  constexpr auto path = "/results/relations";
  if (!relations_) {
    relations_.emplace();
    if (store_.contains(path)) relations_ = store_.read<RelationRow>(path, relation_type()).rows;
  }
  std::vector<RelationRow> found;
  std::ranges::copy_if(*relations_, std::back_inserter(found), [&](const auto& row) { return row.run == run.run; });
  return found;
}

std::vector<cases::PairResult> ResultsFile::pairs() {
  std::vector<cases::PairResult> found;
  if (!store_.contains(pairs_path)) return found;
  for (const PairRow& row : store_.read<PairRow>(pairs_path, pair_type()).rows) {
    ir::require(row.run < runs().size(), pairs_path, " has a row of run ", row.run, ", which does not exist");
    const Run& run = runs()[row.run];
    found.push_back({.graph = name(run.path_id),
                     .seed = run.seed,
                     .value = name(row.value_id),
                     .first = name(row.first_id),
                     .second = name(row.second_id),
                     .elements = row.n,
                     .differing = row.n_differ,
                     .max_abs = row.max_abs,
                     .max_ulp = row.max_ulp,
                     .error_of_first = row.rms_first,
                     .error_of_second = row.rms_second});
  }
  return found;
}

bool ResultsFile::refutes_expected(const Run& run, std::optional<double> lambda) {
  return std::ranges::any_of(expected(), [&](const ExpectedRow& row) {
    if (row.run != run.run) return false;
    const bool failed = known(row.verdict, core::Verdict::error) == core::Verdict::failed;
    // The worst is one that is no number, where there is such: no λ changes that.
    const bool is_by_chance = std::isfinite(row.worst_given[0]) && std::isfinite(row.worst_held[0]) &&
                              !std::isnan(row.sigma_max) && (!failed || row.sigma_max > run.lambda);
    return lambda && is_by_chance ? row.sigma_max > *lambda : failed;
  });
}

std::span<const Node> ResultsFile::parts_of(std::size_t row) {
  const Node& local = rows()[row];
  std::size_t end = row + 1;
  for (; end < rows().size(); ++end) {
    const Node& other = rows()[end];
    const bool is_same = other.run == local.run && other.node == local.node && other.out == local.out;
    if (!is_same || other.part == Part::local) break;
  }
  return std::span(rows()).subspan(row, end - row);
}

const Node* ResultsFile::total_of(std::size_t row) {
  const auto parts = parts_of(row);
  const auto found = std::ranges::find_if(parts, [](const Node& one) { return one.part == Part::total; });
  const bool is_converted = found != parts.end() && lacks_totals_as_written(runs()[found->run]);
  return found == parts.end() || is_converted ? nullptr : &*found;
}

const Node& ResultsFile::gated_of(std::size_t row) {
  for (const Node& one : parts_of(row).subspan(1))
    if (known(one.verdict, core::Verdict::skipped) != core::Verdict::skipped) return one;
  return rows()[row];
}

bool ResultsFile::lacks_totals_as_written(const Run& run) {
  if (run.fill == core::FillKind::exact) return false;  // its numbers are made in the dtype that it runs in
  return is_before_2_9_ && ir::find_dtype(precision(run)).has_value();
}

std::string ResultsFile::key(const Run& run) {
  return run.is_named() ? key_of(name(run.subject_id), name(run.options_id)) : "";
}

std::string ResultsFile::subject(const Run& run) {
  const std::string &graph = name(run.graph_id), &file = name(run.file_id);
  if (file.empty()) return "graph " + graph;
  const std::string step = run.step == 0 ? "" : ir::cat(", step ", run.step);
  return graph.empty() ? file + step : ir::cat(file, " (graph ", graph, step, ")");
}

std::string ResultsFile::who(const Run& run) {
  const std::string candidate = run.candidate_id == 0 ? "" : name(run.candidate_id);
  if (!candidate.empty() && candidate != cases::RunSettings{}.candidate) return "candidate " + candidate;
  const std::string device_name = device(run).facts.device;
  return "device " + (device_name.empty() ? name(run.device_id) : device_name);
}

std::vector<PatternRow> ResultsFile::pattern_rows(const Node& row) {
  constexpr auto path = "/results/pattern";
  if (!patterns_) {
    patterns_.emplace();
    if (store_.contains(path)) patterns_ = store_.read<PatternRow>(path, pattern_type()).rows;
  }
  std::vector<PatternRow> found;
  for (const PatternRow& one : *patterns_)
    if (one.run == row.run && one.node == row.node && one.out == row.out) found.push_back(one);
  return found;
}

compare::RatioMap ResultsFile::map(const Node& row) {
  if (!maps_) {
    maps_.emplace();
    if (store_.contains(maps_path)) maps_ = store_.read<MapRow>(maps_path, map_type()).rows;
  }
  const auto found = std::ranges::find_if(*maps_, [&](const MapRow& one) {
    return one.run == row.run && one.node == row.node && one.out == row.out && one.of_plain_run == row.of_plain_run;
  });
  if (found == maps_->end()) return {};
  return {{found->rows, found->columns}, {found->cells.begin(), found->cells.end()}};
}

std::vector<std::string> ResultsFile::patterns(const Node& row) {
  std::vector<std::string> texts;
  for (const PatternRow& one : pattern_rows(row)) texts.push_back(name(one.text_id));
  return texts;
}

std::span<const TopElement> ResultsFile::worst(std::size_t row) {
  constexpr std::size_t kept = compare::Comparison::worst_kept;
  if (!worst_) {
    worst_ = store_.read<TopElement>("/results/topk", top_element_type()).rows;
    ir::require(worst_->size() == rows().size() * kept, path_.string(), ": /results/topk has ", worst_->size(),
                " elements, wanted ", kept, " for each of ", rows().size(), " rows");
  }
  return std::span(*worst_).subspan(row * kept, kept);
}

std::span<const std::uint32_t> ResultsFile::ulps(std::size_t row) {
  constexpr std::size_t bins = compare::Comparison::ulp_bins;
  if (!ulps_) {
    ulps_.emplace();
    if (store_.contains("/results/hist_ulp")) ulps_ = store_.read_grid("/results/hist_ulp");
    ir::require(ulps_->empty() || ulps_->size() == rows().size() * bins, path_.string(), ": /results/hist_ulp has ",
                ulps_->size(), " counts, wanted ", bins, " for each of ", rows().size(), " rows");
  }
  return ulps_->empty() ? std::span<const std::uint32_t>() : std::span(*ulps_).subspan(row * bins, bins);
}

std::string ResultsFile::text_of(const std::string& path) const {
  return store_.contains(path) ? store_.read_text(path) : "";
}

std::shared_ptr<const ir::formats::GraphFile> ResultsFile::graph_file(const Run& run) {
  const auto [found, is_new] = graph_files_.try_emplace(run.graph_id);
  if (!is_new || run.graph_id == 0) return found->second;
  try {
    const std::string text = text_of("/graph/" + name(run.graph_id) + "/json");
    found->second = std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."));
  } catch (const ir::Error&) {
    // A graph of another version; its table says what it can.
  }
  return found->second;
}

const std::vector<GraphNode>& ResultsFile::graph(const Run& run) {
  const auto [found, is_new] = graphs_.try_emplace(run.graph_id);
  const std::string table = "/graph/" + name(run.graph_id) + "/nodes";
  if (is_new && run.graph_id != 0 && store_.contains(table))
    found->second = store_.read<GraphNode>(table, graph_node_type()).rows;
  return found->second;
}

const GraphNode* ResultsFile::find_node(const Run& run, const Node& row) {
  const auto& nodes = graph(run);
  return row.node < nodes.size() ? &nodes[row.node] : nullptr;
}

const GraphNode& ResultsFile::node_of(const Run& run, const Node& row) {
  const GraphNode* const node = find_node(run, row);
  ir::require(node != nullptr, path_.string(), ": run ", run.run, " has a row of node ", row.node, ", its graph ",
              graph(run).size(), " nodes");
  return *node;
}

std::string ResultsFile::label(const Run& run, const Node& row) {
  const GraphNode* const node = find_node(run, row);
  return (node == nullptr ? "?" : name(node->name_id)) + (row.out == 0 ? "" : ir::cat(':', row.out));
}

StoredKernel ResultsFile::kernel(const Node& row) {
  if (version_ < 2) return {};
  return {true, name(row.kernel_id), name(row.tile_id), dtype_of(row.accumulation)};
}

const std::vector<std::string>& ResultsFile::sums_of(std::uint32_t graph_id) {
  const auto [found, is_new] = sums_.try_emplace(graph_id);
  const std::string list = "/graph/" + name(graph_id) + "/sums";
  if (is_new && graph_id != 0 && store_.contains(list)) found->second = store_.read_texts(list);
  return found->second;
}

std::vector<ir::Sum> ResultsFile::sums(const Run& run, const Node& row) {
  if (row.tree < 0) return {};
  const auto& texts = sums_of(run.graph_id);
  const auto first = static_cast<std::size_t>(row.tree);
  ir::require(first + row.n_sums <= texts.size(), path_.string(), ": run ", run.run, " names sum ", row.tree,
              " of its graph, which has ", texts.size());
  std::vector<ir::Sum> sums;
  for (std::size_t s = first; s < first + row.n_sums; ++s) sums.push_back(ir::formats::parse_sum_of_node(texts[s]).sum);
  return sums;
}

std::string ResultsFile::precision(const Run& run) {
  const std::string& recorded = name(run.precision_id);
  return version_ < 2 && recorded == "graph" ? "precision not recorded" : recorded;
}

const StoredDevice& ResultsFile::device(const Run& run) {
  const auto [found, is_new] = devices_.try_emplace(run.device_id);
  const std::string path = "/device/" + name(run.device_id);
  if (!is_new || run.device_id == 0 || !store_.contains(path)) return found->second;
  const auto values = store_.attributes(path);
  policy::Facts facts = policy::device_facts(value_text(values, "name"), value_text(values, "driver_name"),
                                             value_text(values, "driver_info"));
  if (store_.contains(path + "/profile"))
    facts.device_profile = value_text(store_.attributes(path + "/profile"), "profile_sha256");
  found->second = {std::move(facts), says_software(values), value_text(values, "driver_info")};
  return found->second;
}

std::string ResultsFile::policy_path(const Run& run) {
  return run.policy_id == 0 ? "" : "/policy/" + name(run.policy_id) + "/toml";
}

bool is_results_file(const std::filesystem::path& path) try {
  ir::hdf5::vet(path, ir::hdf5::Extent::attributes_of_root);
  require_results_file(ir::hdf5::Store::open(path));
  return true;
} catch (const ir::Error&) {
  return false;
}

}  // namespace plumb::parity::results
