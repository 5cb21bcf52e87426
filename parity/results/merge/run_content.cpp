// Reads the tables of a results file and finds the rows of each run.
#include "parity/results/merge/run_content.hpp"

#include <fmt/format.h>

#include "parity/compare/compare.hpp"

namespace plumb::parity::results {
namespace {

template <class Row>
RawTable raw_table(const ir::hdf5::Store& store, const std::string& path, const TableType& type,
                   std::size_t width = 1) {
  static_assert(std::is_trivially_copyable_v<Row>);
  RawTable table{.type = &type, .row_bytes = type.row_bytes * width};
  if (!store.contains(path)) return table;  // a later version added it
  const std::vector<Row> rows = store.read<Row>(path, type).rows;
  const auto bytes = std::as_bytes(std::span(rows));
  table.bytes.assign(bytes.begin(), bytes.end());
  return table;
}

}  // namespace

std::string framed(const ir::hdf5::StoredValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    add_framed(text, name);
    const auto add = [&]<class T>(const T& held) {
      if constexpr (std::is_same_v<T, std::string>) {
        add_framed(text, held);
      } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        for (const std::string& one : held) add_framed(text, one);
      } else {
        add_framed(text, fmt::format("{}", held));
      }
    };
    std::visit(add, value);
    text += '\n';
  }
  return text;
}

void add_framed(std::string& text, std::string_view part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

RunContent::RunContent(const std::filesystem::path& path) : file(path) {
  const std::string version = file.attribute("schema_version");
  ir::require(file.version() == 2, path.string(), ": is of version ", version,
              ", whose runs lack what version 2 records of them");
  ir::require(minor_of(version) <= minor_of(schema_version), path.string(), ": is of version ", version,
              ", written by a newer plumb, and what is new in it would be lost");
  tables = {raw_table<Node>(store(), paths[0], node_type()), raw_table<RelationRow>(store(), paths[1], relation_type()),
            raw_table<PatternRow>(store(), paths[2], pattern_type()),
            raw_table<ExpectedRow>(store(), paths[3], expected_type()),
            raw_table<PairRow>(store(), paths[4], pair_type()),
            raw_table<MapRow>(store(), paths[5], map_type())};
  worst = raw_table<TopElement>(store(), "/results/topk", top_element_type(), compare::Comparison::worst_kept);
  hist_ulp = store().read_grid("/results/hist_ulp");
  hist_ratio = store().read_grid("/results/hist_ratio");
  const std::size_t count = tables[nodes].rows();
  ir::require(worst.rows() == count && hist_ulp.size() == count * compare::Comparison::ulp_bins &&
                  hist_ratio.size() == count * compare::Comparison::ratio_bins,
              path.string(), ": /results/topk, hist_ulp and hist_ratio do not have a row for each of ", count,
              " of /results/nodes");
  sort_rows();
  name_totals();
}

void RunContent::sort_rows() {
  for (std::size_t t = 0; t < paths.size(); ++t) {
    rows_.at(t).resize(file.runs().size());
    RawTable& table = tables.at(t);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      file.require_names(*table.type, table.row(r), paths.at(t), r);
      for (const Column& column : table.type->columns) {
        if (column.name != "run" && column.name != "second_run") continue;
        const std::uint32_t number = number_in(table.row(r), column);
        ir::require(number < file.runs().size(), file.path().string(), ": ", paths.at(t), "[", r, "]: there is no run ",
                    number);
        if (column.name == "run") rows_.at(t)[number].push_back(r);
      }
    }
  }
}

/// Until version 2.9 a total of a graph in another dtype was against the converted graph, and the file's version said
/// so, which is not that of a file that the rows are copied to.
void RunContent::name_totals() {
  for (const Run& run : file.runs())
    if (file.lacks_totals_as_written(run))
      for (const std::size_t r : rows_of(nodes, run)) {
        Node row;
        std::memcpy(&row, tables[nodes].row(r).data(), sizeof row);
        if (row.part == Part::total) row.part = Part::converted;
        std::memcpy(tables[nodes].row(r).data(), &row, sizeof row);
      }
}

std::vector<std::string> RunContent::sums(const Run& run, const Node& row) {
  if (row.tree < 0) return {};
  const std::string list = list_of_sums(run);
  const auto [found, is_new] = sums_.try_emplace(list);
  if (is_new && store().contains(list)) found->second = store().read_texts(list);
  const auto begin = static_cast<std::size_t>(row.tree);
  ir::require(begin + row.n_sums <= found->second.size(), file.path().string(), ": there is no sum ",
              begin + row.n_sums - 1, " in ", list);
  const auto first = found->second.begin() + row.tree;
  return {first, first + row.n_sums};
}

const std::string& RunContent::device(const std::string& name) {
  const auto [found, is_new] = devices_.try_emplace(name);
  if (is_new) found->second = device_text(store(), name);
  return found->second;
}

std::string uuid_in(const std::string& name) { return name.substr(0, name.find('.')); }

std::string device_text(const ir::hdf5::Store& store, const std::string& name) {
  std::string text;
  const std::string path = "/device/" + name;
  if (name.empty() || !store.contains(path)) return text;
  add_framed(text, framed(store.attributes(path)));
  if (store.contains(path + "/profile")) add_framed(text, framed(store.attributes(path + "/profile")));
  if (store.contains(path + "/coopmat"))
    for (const Coopmat& row : store.read<Coopmat>(path + "/coopmat", coopmat_type()).rows)
      text += fmt::format("{} {} {} {} {} {} {} {} {}\n", row.M, row.N, row.K, row.a.value, row.b.value, row.c.value,
                          row.r.value, row.scope.value, row.saturating);
  return text;
}

}  // namespace plumb::parity::results
