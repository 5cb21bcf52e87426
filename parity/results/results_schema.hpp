// The schema of results files: its version, an empty file's layout, and the check of a file against it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/results/results_tables.hpp"

namespace plumb::parity::results {

inline constexpr auto schema_name = "plumb.results";
inline constexpr auto schema_version = "2.18.0";  ///< minor versions only add

/// A dataset of the file, or of each `<...>` in its path.
struct Dataset {
  /// Where it is: in every file and empty at first, but perhaps not in those of earlier minor versions; in each group,
  /// or in some of them.
  enum class Place { always, late, in_each, in_some };

  std::string path, doc;
  const TableType* type = nullptr;  ///< a compound's columns
  std::string kind = "compound";
  std::size_t width = 1;
  std::string units = "1";
  Place place = Place::always;

  bool is_at_first() const { return place == Place::always || place == Place::late; }
};

const std::vector<Dataset>& datasets();

inline constexpr auto pairs_path = "/results/pairs";  ///< in files since version 2.11
inline constexpr auto maps_path = "/results/maps";    ///< in files since version 2.18

/// Groups of every file, those of files since versions 2.8 and 2.9, and the attributes of the root.
inline constexpr std::array groups = {"/graph", "/device", "/env", "/policy", "/inputs", "/tensors"};
inline constexpr std::array late_groups = {"/subject", "/options", "/params"};
inline constexpr std::array root_attributes = {"schema",    "schema_version", "tool_version", "git_commit",
                                               "git_dirty", "created_utc",    "argv"};

/// Whether it is one text, rather than a list of them; or edges of bins.
bool is_scalar(const Dataset& set);
bool is_line(const Dataset& set);

/// Whether names may be added to a column's without the schema's changing: those of ops.
bool is_open(const Column& column);

/// The number in a column of kind u4.
inline std::uint32_t number_in(std::span<const std::byte> row, const Column& column) {
  std::uint32_t number = 0;
  std::memcpy(&number, row.data() + column.offset, sizeof number);
  return number;
}

/// Whether a column has the number of a text in /names.
inline bool names_text(const Column& column) { return column.kind == Kind::u4 && column.name.ends_with("_id"); }

/// The fixed part of an empty results file.
void make_layout(ir::hdf5::Store& store);

/// The major version of a results file, 1 or 2. Throws Error for a file that says that it is another, or none.
int require_results_file(const ir::hdf5::Store& store);

/// 13, where the version is "2.13.0".
int minor_of(std::string_view version);

/// Everything in which a results file departs from the schema, each naming the place; an
/// unreadable file is one finding. A file of version 1 is held to what version 2 kept of it.
std::vector<std::string> check_schema(const std::filesystem::path& path);

/// The schema for machines: schema/plumb-results-2.json.
std::string schema_json();

}  // namespace plumb::parity::results
