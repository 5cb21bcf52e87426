// The schema of results files: its version, an empty file's layout, and the check of a file against it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/results/results_tables.hpp"

namespace plumb::parity::results {

inline constexpr auto schema_name = "plumb.results";
inline constexpr auto schema_version = "2.8.0";  ///< minor versions only add

/// The fixed part of an empty results file.
void make_layout(ir::hdf5::Store& store);

/// The major version of a results file, 1 or 2. Throws Error for a file that says that it is another, or none.
int require_results_file(const ir::hdf5::Store& store);

/// Everything in which a results file departs from the schema, each naming the place; an
/// unreadable file is one finding. A file of version 1 is held to what version 2 kept of it.
std::vector<std::string> check_schema(const std::filesystem::path& path);

/// The schema for machines: schema/plumb-results-2.json.
std::string schema_json();

}  // namespace plumb::parity::results
