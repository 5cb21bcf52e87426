// Hashes runs by what their columns mean: numbers of texts, runs, launches and sums become what they stand for.
#include "parity/results/merge/digest.hpp"

#include <algorithm>

#include "parity/compare/compare.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::results {
namespace {

/// Columns that may differ when the same is computed once more: when, where and among what else that was.
constexpr std::array columns_of_chance = {"attempt", "attempts_id", "notes_id", "utc",      "wall_s",
                                          "uuid",    "launch",      "env_id",   "t_ref_ns", "t_dev_ns"};

/// Groups whose children a column names, and which are called by the hash of what they hold, all of it in a text.
constexpr std::array<std::array<const char*, 3>, 4> named_groups = {{{"graph_id", "/graph/", "/json"},
                                                                     {"policy_id", "/policy/", "/toml"},
                                                                     {"subject_id", "/subject/", "/text"},
                                                                     {"options_id", "/options/", "/text"}}};

std::string_view bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string uuid_text(RunContent& content, const Run& run) { return cases::to_text(content.file.uuid(run)); }

class RunDigest {
 public:
  RunDigest(RunContent& content, const Run& run, DigestOf of) : content_(content), run_(run), of_(of) {}

  std::string get();

 private:
  void add_row(const TableType& type, std::span<const std::byte> row);
  void add_column(const Column& column, std::span<const std::byte> row);
  void add_name(const Column& column, std::uint32_t id);
  void add_node(std::size_t row);
  void add_object(const std::string& path);
  void add_tree(const std::string& path);

  RunContent& content_;
  const Run& run_;
  const DigestOf of_;
  std::string text_;
};

void RunDigest::add_name(const Column& column, std::uint32_t id) {
  const std::string& name = content_.file.name(id);
  if (column.name == "device_id") return add_framed(text_, content_.device(name));
  add_framed(text_, name);
  for (const auto& [its, folder, text] : named_groups) {
    const std::string path = folder + name + text;
    if (column.name != its || name.empty() || !content_.store().contains(path)) continue;
    const auto said = content_.store().attributes(path);
    const auto hash = said.find("sha256");
    if (hash != said.end()) text_ += framed({*hash});
  }
}

void RunDigest::add_column(const Column& column, std::span<const std::byte> row) {
  // Places in this file, which are resolved by whoever knows what they are of.
  if (column.name == "run" || column.name == "tree") return;
  if (of_ == DigestOf::values && std::ranges::count(columns_of_chance, column.name) != 0) return;
  if (names_text(column)) return add_name(column, number_in(row, column));
  if (column.name == "launch") {
    const auto launch = number_in(row, column);
    const bool is_known = run_.is_named() && launch < content_.file.launches().size();
    return add_framed(text_, is_known ? cases::to_text(content_.file.launches()[launch].uuid) : "");
  }
  if (column.name == "uuid") return add_framed(text_, uuid_text(content_, run_));
  if (column.name == "second_run") {
    const Run& second = content_.file.runs()[number_in(row, column)];
    return add_framed(text_, of_ == DigestOf::runs ? uuid_text(content_, second) : content_.file.name(second.case_id));
  }
  constexpr std::array<std::size_t, 7> sizes = {1, 2, 4, 8, 4, 4, 8};  // by Kind
  text_ += bytes_of(row.subspan(column.offset, sizes.at(static_cast<std::size_t>(column.kind)) * column.count));
}

void RunDigest::add_row(const TableType& type, std::span<const std::byte> row) {
  for (const Column& column : type.columns) add_column(column, row);
  text_ += '\n';
}

/// A row of /results/nodes with what other tables have of it.
void RunDigest::add_node(std::size_t row) {
  const auto bytes = content_.tables[RunContent::nodes].row(row);
  Node node;
  std::memcpy(&node, bytes.data(), sizeof node);
  add_row(node_type(), bytes);
  for (const std::string& sum : content_.sums(run_, node)) add_framed(text_, sum);
  const auto worst = content_.worst.row(row);
  for (std::size_t at = 0; at < worst.size(); at += content_.worst.type->row_bytes)
    add_row(*content_.worst.type, worst.subspan(at, content_.worst.type->row_bytes));
  const auto add_cells = [&](const std::vector<std::uint32_t>& cells, std::size_t width) {
    text_ += bytes_of(std::as_bytes(std::span(cells).subspan(row * width, width)));
  };
  add_cells(content_.hist_ulp, compare::Comparison::ulp_bins);
  add_cells(content_.hist_ratio, compare::Comparison::ratio_bins);
}

/// A group, or a tensor, of which attributes tell the hash or its bytes give it.
void RunDigest::add_object(const std::string& path) {
  const auto said = content_.store().attributes(path);
  add_framed(text_, framed(said));
  if (!content_.store().is_dataset(path)) return;
  const auto form = content_.store().form(path);
  text_ += form.kind;
  for (const std::uint64_t extent : form.extents) text_ += ' ' + std::to_string(extent);
  if (!said.contains("sha256")) text_ += core::sha256(bytes_of(content_.store().read_bytes(path)));
}

void RunDigest::add_tree(const std::string& path) {
  const ir::hdf5::Store& store = content_.store();
  if (!store.contains(path)) return;
  add_object(path);
  if (store.is_dataset(path)) return;
  for (const std::string& child : store.children(path)) {
    add_framed(text_, child);
    add_tree(path + '/' + child);
  }
  text_ += '\n';
}

std::string RunDigest::get() {
  add_row(run_type(), std::as_bytes(std::span(&run_, 1)));
  for (std::size_t t = 0; t < RunContent::paths.size(); ++t) {
    add_framed(text_, RunContent::paths.at(t));
    for (const std::size_t row : content_.rows_of(t, run_))
      if (t == RunContent::nodes)
        add_node(row);
      else
        add_row(*content_.tables.at(t).type, content_.tables.at(t).row(row));
  }
  add_tree(ir::cat("/inputs/", run_.run));
  add_tree(ir::cat("/tensors/", run_.run));
  return core::sha256(text_);
}

/// A start of the program as a line.
std::string line_of(ResultsFile& file, const Launch& launch) {
  std::string line = cases::to_text(launch.uuid);
  for (const Column& column : launch_type().columns) {
    const auto row = std::as_bytes(std::span(&launch, 1));
    if (names_text(column)) add_framed(line, file.name(number_in(row, column)));
  }
  return line + ir::cat(' ', launch.utc, ' ', int{launch.dirty}, ' ', launch.planned, ' ', int{launch.end.value}, ' ',
                        launch.shard, '/', launch.shards);
}

}  // namespace

std::string digest_of_run(RunContent& content, const Run& run, DigestOf of) {
  return RunDigest(content, run, of).get();
}

std::string digest_of_file(const std::filesystem::path& path, DigestOf of) {
  RunContent content(path);
  std::vector<std::string> lines;
  for (const Run& run : content.file.runs())
    if (of == DigestOf::runs || run.retried == 0) lines.push_back(digest_of_run(content, run, of));
  if (of == DigestOf::runs)
    for (const Launch& launch : content.file.launches()) lines.push_back(line_of(content.file, launch));
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return core::sha256(text);
}

}  // namespace plumb::parity::results
