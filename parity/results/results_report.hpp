#pragma once

#include <filesystem>
#include <string>

namespace plumb::parity::results {

/// What a results file holds: a line a run and the worst nodes of each. Throws Error when it is none.
std::string results_report(const std::filesystem::path& path, std::size_t nodes_a_run);

}  // namespace plumb::parity::results
