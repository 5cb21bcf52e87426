// Copies runs between results files: texts, runs, launches and sums get their numbers in the new file, groups their
// place once.
#include <fmt/format.h>

#include <algorithm>

#include "parity/compare/compare.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/merge/merge.hpp"

namespace plumb::parity::results {
namespace {

constexpr auto launches_path = "/launches", names_path = "/names";

void put_number(std::span<std::byte> row, const Column& column, std::uint32_t number) {
  std::memcpy(row.data() + column.offset, &number, sizeof number);
}

template <class Row>
Row row_in(std::span<const std::byte> bytes) {
  Row row;
  std::memcpy(&row, bytes.data(), sizeof row);
  return row;
}

template <class Row>
std::span<std::byte> bytes_in(Row& row) {
  return std::as_writable_bytes(std::span(&row, 1));
}

/// Whether `a` says more of how a start of the program went on than `b`, which is the same one: cases are left out of
/// the plan on the way, never added.
bool is_later(const Launch& a, const Launch& b) {
  if (a.end.value != b.end.value) return a.end.value > b.end.value;
  return a.planned < b.planned;
}

}  // namespace

RunCopier::RunCopier(ir::hdf5::Store& to) : to_(to) {
  for (const std::string& name : to_.read_texts(names_path)) name_id(name);
  earlier_names_ = names_in_order_.size();
  name_id("");
  launches_ = to_.read<Launch>(launches_path, launch_type()).rows;
  earlier_launches_ = launches_.size();
  runs_ = static_cast<std::uint32_t>(to_.rows("/runs"));
}

std::uint32_t RunCopier::name_id(const std::string& name) {
  const auto [found, is_new] = names_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_in_order_.push_back(name);
  return found->second;
}

/// Gives a row the numbers that its texts have in the new file.
void RunCopier::map_names(ResultsFile& from, const TableType& type, std::span<std::byte> row) {
  for (const Column& column : type.columns)
    if (names_text(column)) put_number(row, column, name_id(from.names().at(number_in(row, column))));
}

void RunCopier::add_launches(RunContent& from, std::vector<std::uint32_t>& places) {
  const std::vector<Launch>& theirs = from.file.launches();
  for (std::size_t l = 0; l < theirs.size(); ++l) {
    Launch launch = theirs[l];
    from.file.require_names(launch_type(), bytes_in(launch), launches_path, l);
    map_names(from.file, launch_type(), bytes_in(launch));
    const auto found = std::ranges::find(launches_, launch.uuid, &Launch::uuid);
    places.push_back(static_cast<std::uint32_t>(found - launches_.begin()));
    if (found == launches_.end())
      launches_.push_back(launch);
    else if (is_later(launch, *found))
      *found = launch;
  }
}

void RunCopier::copy_once(RunContent& from, const std::string& path) {
  if (from.store().contains(path) && !to_.contains(path)) to_.copy(path, from.store(), path);
}

/// A group of texts that is called by the hash of one of them.
void RunCopier::copy_texts(RunContent& from, const std::string& group) {
  if (!seen_.insert(group).second || !from.store().contains(group)) return;
  for (const std::string& child : from.store().children(group)) {
    const std::string path = group + '/' + child;
    copy_once(from, path);
    ir::require(from.store().attributes(path) == to_.attributes(path), from.file.path().string(), ": ", path,
                " is another text than the one of that name in the files before it");
  }
}

void RunCopier::copy_graph(RunContent& from, const std::string& id) {
  const std::string path = "/graph/" + id, nodes = path + "/nodes", sums = path + "/sums";
  if (id.empty() || !seen_.insert(path).second) return;
  const bool is_new = !to_.contains(path);
  copy_once(from, path + "/json");
  ir::require(from.store().attributes(path + "/json") == to_.attributes(path + "/json"), from.file.path().string(),
              ": ", path, " is another graph than the one of that name in the files before it");
  auto rows = from.store().read<GraphNode>(nodes, graph_node_type()).rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    from.file.require_names(graph_node_type(), bytes_in(rows[r]), nodes, r);
    map_names(from.file, graph_node_type(), bytes_in(rows[r]));
  }
  if (is_new) {
    to_.make_table(nodes, graph_node_type());
    to_.append(nodes, graph_node_type(), rows);
    copy_once(from, path + "/edges");
    to_.make_texts(sums);
    return;
  }
  // Whether a node is exact is said of the numbers that the first run had: more is known of it where one file knows.
  auto known = to_.read<GraphNode>(nodes, graph_node_type()).rows;
  ir::require(known.size() == rows.size(), from.file.path().string(), ": ", nodes, " has ", rows.size(),
              " rows, and elsewhere ", known.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].exact.value >= known[r].exact.value) continue;
    known[r].exact = rows[r].exact;
    to_.replace(nodes, graph_node_type(), r, known[r]);
  }
}

/// The name of a device in the new file: one that another driver has already is followed by a hash.
std::string RunCopier::copy_device(RunContent& from, const std::string& name) {
  if (name.empty() || !from.store().contains("/device/" + name)) return name;
  const std::string& text = from.device(name);
  // A uuid has no point: what follows one was added here.
  const std::string hashed = uuid_in(name) + '.' + core::text_id(text);
  for (const std::string& its : {name, hashed}) {
    const bool is_there = to_.contains("/device/" + its);
    const auto [found, is_new] = devices_.try_emplace(its, is_there ? device_text(to_, its) : text);
    if (is_new && !is_there) to_.copy("/device/" + its, from.store(), "/device/" + name);
    if (found->second == text) return its;
  }
  ir::fail(from.file.path().string(), ": /device/", hashed, " is another device than the one of that name");
}

/// Groups and tensors below a group, of which equal numbers are in the file once.
void RunCopier::copy_tensors(RunContent& from, const std::string& path, const std::string& to) {
  for (const std::string& child : from.store().children(path)) {
    const std::string one = path + '/' + child, its = to + '/' + child;
    const auto said = from.store().attributes(one);
    std::string form;
    if (from.store().is_dataset(one) && said.contains("sha256")) {
      const auto stored = from.store().form(one);
      form = fmt::format("{} {}\n{}", stored.kind, fmt::join(stored.extents, " "), framed(said));
      const auto [kept, is_new] = kept_.try_emplace(form, its);
      if (!is_new) {
        to_.link(its, kept->second);
        continue;
      }
    }
    to_.copy(its, from.store(), one);
  }
}

void RunCopier::copy_fed(RunContent& from, const Run& run, std::uint32_t place) {
  const auto copy_group = [&](const std::string& path, const std::string& to) {
    to_.make_group(to);
    for (const auto& [name, value] : from.store().attributes(path)) to_.set(to, name, value);
    copy_tensors(from, path, to);
  };
  const std::string inputs = ir::cat("/inputs/", run.run), tensors = ir::cat("/tensors/", run.run);
  if (from.store().contains(inputs)) {
    const auto said = from.store().attributes(inputs);
    const auto named = said.find("params");
    const auto* const id = named == said.end() ? nullptr : std::get_if<std::string>(&named->second);
    if (id != nullptr) {
      const std::string params = "/params/" + *id;
      if (from.store().contains(params) && !to_.contains(params)) copy_group(params, params);
    }
    copy_group(inputs, ir::cat("/inputs/", place));
  }
  if (from.store().contains(tensors)) to_.copy(ir::cat("/tensors/", place), from.store(), tensors);
}

void RunCopier::copy_groups(RunContent& from, const Run& run, std::uint32_t place) {
  const auto group_of = [&](const char* folder, std::uint32_t id) { return folder + from.file.name(id); };
  copy_graph(from, from.file.name(run.graph_id));
  if (run.policy_id != 0) copy_texts(from, group_of("/policy/", run.policy_id));
  if (run.subject_id != 0) copy_texts(from, group_of("/subject/", run.subject_id));
  if (run.options_id != 0) copy_texts(from, group_of("/options/", run.options_id));
  if (run.env_id != 0) copy_once(from, group_of("/env/", run.env_id));
  copy_fed(from, run, place);
}

/// Where the sums of a row stand in the new file's list, to which they are added unless some row had the same ones.
std::int32_t RunCopier::place_of_sums(RunContent& from, const Run& run, const Node& row) {
  const std::vector<std::string> texts = from.sums(run, row);
  if (texts.empty()) return -1;
  const std::string list = from.list_of_sums(run);
  const auto [found, is_first] = sum_rows_.try_emplace(list);
  std::int32_t& rows = found->second;
  if (is_first) rows = static_cast<std::int32_t>(to_.rows(list));
  const auto [place, is_new] = sums_[list].try_emplace(texts, rows);
  if (is_new) {
    to_.append_texts(list, texts);
    rows += static_cast<std::int32_t>(texts.size());
  }
  return place->second;
}

/// A row of /results/nodes, whose place is that of rows of other tables.
void RunCopier::copy_node(RunContent& from, const Run& run, std::size_t row, std::span<std::byte> bytes) {
  Node node = row_in<Node>(bytes);
  node.tree = place_of_sums(from, run, node);
  std::memcpy(bytes.data(), &node, sizeof node);
  const auto add = [](auto& to, const auto& cells) { to.insert(to.end(), cells.begin(), cells.end()); };
  const auto row_of = [&](const std::vector<std::uint32_t>& cells, std::size_t width) {
    return std::span(cells).subspan(row * width, width);
  };
  add(held_.worst, from.worst.row(row));
  add(held_.hist_ulp, row_of(from.hist_ulp, compare::Comparison::ulp_bins));
  add(held_.hist_ratio, row_of(from.hist_ratio, compare::Comparison::ratio_bins));
}

void RunCopier::copy_rows(RunContent& from, const Run& run, std::uint32_t place) {
  for (std::size_t t = 0; t < RunContent::paths.size(); ++t) {
    RawTable& table = from.tables.at(t);
    for (const std::size_t r : from.rows_of(t, run)) {
      const auto row = table.row(r);
      std::vector<std::byte> made(row.begin(), row.end());
      bool is_whole = true;
      for (const Column& column : table.type->columns) {
        if (column.name == "run") put_number(made, column, place);
        if (column.name != "second_run") continue;
        const auto second = places_.find(number_in(row, column));
        is_whole = second != places_.end();
        if (is_whole) put_number(made, column, second->second);
      }
      if (!is_whole) continue;  // half of a pair was left out
      map_names(from.file, *table.type, made);
      if (t == RunContent::nodes) copy_node(from, run, r, made);
      held_.tables.at(t).insert(held_.tables.at(t).end(), made.begin(), made.end());
    }
  }
}

/// Writes the rows that are held. A dataset that grows packs its last rows again each time.
void RunCopier::write_rows(const RunContent& from) {
  for (std::size_t t = 0; t < RunContent::paths.size(); ++t) {
    const auto& path = RunContent::paths.at(t);
    const TableType& type = *from.tables.at(t).type;
    if (!to_.contains(path)) to_.make_table(path, type);  // a file that an earlier version began
    to_.append(path, type, std::span<const std::byte>(held_.tables.at(t)));
  }
  to_.append("/results/topk", top_element_type(), std::span<const std::byte>(held_.worst));
  to_.append_grid("/results/hist_ulp", held_.hist_ulp);
  to_.append_grid("/results/hist_ratio", held_.hist_ratio);
  to_.append("/runs", run_type(), held_.runs);
  held_ = {};
}

void RunCopier::copy_run(RunContent& from, Run run, std::uint32_t place, std::span<const std::uint32_t> launches) {
  copy_groups(from, run, place);
  copy_rows(from, run, place);
  const std::string device = copy_device(from, from.file.name(run.device_id));
  const cases::Uuid uuid = from.file.uuid(run);
  if (run.is_named()) {
    run.launch = launches[run.launch];
    ++runs_of_[run.launch];
  }
  map_names(from.file, run_type(), bytes_in(run));
  run.run = place;
  run.uuid = uuid;
  run.device_id = name_id(device);
  held_.runs.push_back(run);
  constexpr std::size_t most_bytes = 8 << 20;
  if (held_.tables[RunContent::nodes].size() > most_bytes) write_rows(from);
}

void RunCopier::add(RunContent& from, std::span<const Run* const> runs, std::optional<std::uint32_t> launch) {
  seen_.clear();
  std::vector<std::uint32_t> launches;
  if (launch)
    launches.assign(from.file.launches().size(), *launch);
  else
    add_launches(from, launches);
  places_.clear();
  std::uint32_t place = runs_;
  for (const Run* const run : runs) places_.emplace(run->run, place++);
  for (const Run* const run : runs) copy_run(from, *run, places_.at(run->run), launches);
  write_rows(from);
  runs_ = place;
}

void RunCopier::finish() {
  const auto added = [](const auto& all, std::size_t earlier) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(earlier), all.end());
  };
  to_.append_texts(names_path, added(names_in_order_, earlier_names_));
  to_.append(launches_path, launch_type(), added(launches_, earlier_launches_));
}

}  // namespace plumb::parity::results
