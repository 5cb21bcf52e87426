#pragma once

// All that a results file has of each of its runs, by the columns of the schema, for code that treats all columns
// alike.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {

/// A table as bytes, row after row, in the layout that its type states.
struct RawTable {
  const TableType* type = nullptr;
  std::size_t row_bytes = 0;  ///< with all elements where a row has several
  std::vector<std::byte> bytes = {};

  std::size_t rows() const { return bytes.size() / row_bytes; }
  std::span<std::byte> row(std::size_t r) { return std::span(bytes).subspan(r * row_bytes, row_bytes); }
};

/// A results file of version 2, opened, read but for tensors, and sorted by runs. Throws Error, naming the file.
class RunContent {
 public:
  explicit RunContent(const std::filesystem::path& path);

  /// Tables of which each row is of a run: its column `run` says of which.
  static constexpr std::array paths = {"/results/nodes",    "/results/relations", "/results/pattern",
                                       "/results/expected", pairs_path,           maps_path};
  static constexpr std::size_t nodes = 0;

  ResultsFile file;
  std::array<RawTable, paths.size()> tables;
  RawTable worst;                                   ///< /results/topk, a row for each of /results/nodes
  std::vector<std::uint32_t> hist_ulp, hist_ratio;  ///< likewise

  const ir::hdf5::Store& store() const { return file.store(); }
  const std::vector<std::size_t>& rows_of(std::size_t table, const Run& run) const { return rows_.at(table)[run.run]; }
  /// The texts of the sums that a row of /results/nodes names, and where that is.
  std::vector<std::string> sums(const Run& run, const Node& row);
  std::string list_of_sums(const Run& run) { return "/graph/" + file.name(run.graph_id) + "/sums"; }
  /// device_text of this file, kept.
  const std::string& device(const std::string& name);

 private:
  void sort_rows();
  void name_totals();

  std::array<std::vector<std::vector<std::size_t>>, paths.size()> rows_;
  std::map<std::string, std::vector<std::string>> sums_;  ///< by list_of_sums
  std::map<std::string, std::string> devices_;
};

/// "00ff" of a device that is called "00ff.1b4f0e985197", another driver having had that name.
std::string uuid_in(const std::string& name);

/// Who it is that a name of a device stands for: its attributes, its profile and its shapes as a text. "" of none.
std::string device_text(const ir::hdf5::Store& store, const std::string& name);

/// Attributes as a text, a line each.
std::string framed(const ir::hdf5::StoredValues& values);

/// A text with its length before it, so that a row of such can be read in one way alone.
void add_framed(std::string& text, std::string_view part);

}  // namespace plumb::parity::results
