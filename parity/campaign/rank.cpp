// Looks into the variables that starters of parallel programs set.
#include "parity/campaign/rank.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ir/error.hpp"

namespace plumb::parity::campaign {

std::optional<Rank> local_rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"}) {
    const char* const said = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    const std::string_view text = said == nullptr ? "" : said;
    if (text.empty()) continue;
    Rank rank{.variable = name};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), rank.number);
    ir::require(problem == std::errc{} && end == text.data() + text.size(), "the environment's ", name,
                " is no whole number: '", text, "'");
    return rank;
  }
  return std::nullopt;
}

}  // namespace plumb::parity::campaign
