// The flags of verify that say how much has to be verified.
#include "parity/cli/flags/demand_flags.hpp"

#include <CLI/CLI.hpp>

#include "parity/cli/flags/validators.hpp"

namespace plumb::parity::cli::flags {

void add_demand_flags(CLI::App& app, core::Demands& demands, std::vector<double>& min_verified) {
  app.add_flag("--strict", demands.strict,
               "exit code 4 where anything was not verified: a mistrusted or unsupported case, or a node that is "
               "mistrusted, ran on the host, or passed against expectation");
  app.add_flag("--require-verified", demands.verified,
               "exit code 4, and never 77, unless every case was verified: a graph that cannot be read or run here, or "
               "of which nothing was compared, does not pass beside others");
  app.add_option("--min-verified", min_verified,
                 "F,E: shares of the FLOPs and of the elements that have to be verified on the device for a case to "
                 "pass (default: 0.90,0.50; with --strict 0.95,0.80)")
      ->delimiter(',')
      ->expected(2)
      ->check(from_to(0, 1));
}

}  // namespace plumb::parity::cli::flags
