#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/results/results_tables.hpp"

namespace plumb::parity::results {

inline constexpr auto schema_name = "plumb.results";
inline constexpr auto schema_version = "1.7.0";  ///< minor versions only add

/// The fixed part of an empty results file.
void make_layout(ir::hdf5::Store& store);

/// Throws Error unless the file says that it is a results file of a version known here.
void require_results_file(const ir::hdf5::Store& store);

/// Everything in which a results file departs from the schema, each naming the place; an
/// unreadable file is one finding.
std::vector<std::string> check_schema(const std::filesystem::path& path);

/// The schema for machines: schema/plumb-results-1.json.
std::string schema_json();

}  // namespace plumb::parity::results
