// The flags that say what a graph is fed and in which precision it runs, shared by the commands.
#pragma once

#include <optional>
#include <string>

#include "parity/cli/flags/model_files.hpp"
#include "parity/verify/verify.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// The flags that say what a graph is fed, the same in every command.
struct GraphFlags {
  std::uint64_t seed = 1;        ///< 0: from the system
  bool has_seed = false;         ///< it was named
  std::uint64_t param_seed = 0;  ///< 0: as the inputs'
  std::string dtype = "f32", precision;
  ModelFlags model;
  std::optional<double> relative = {}, absolute = {};  ///< tolerances in place of an end-to-end limit
};

void add_graph_flags(CLI::App& app, GraphFlags& flags);

/// Flags for another implementation's results on the graph, for commands that hold these against the truth.
void add_expected_flags(CLI::App& app, GraphFlags& flags, checks::expected::Options& options);

/// --precision, for commands that run a graph at one precision.
void add_precision_flag(CLI::App& app, GraphFlags& flags);

/// The options by these flags. A seed from the system is said on stderr, so that the
/// run can be repeated. Throws Error when the inputs' file cannot be read.
verify::FillOptions fill_options(const GraphFlags& flags);

/// Options that make the case of a step behind the prompt, where --decode asks for it, of those of the prompt's: params
/// are the same, and inputs are still to be given.
verify::FillOptions step_options(const GraphFlags& flags, const verify::FillOptions& prompt);

/// Likewise of the case of a prompt that is these tokens [B, s], over caches of the same length.
verify::FillOptions prompt_options(const GraphFlags& flags, const verify::FillOptions& prompt,
                                   const ir::Tensor& tokens);

/// Lets many cases of one graph read its files once: what is read is the same for every seed.
void read_once(verify::FillOptions& fill);

}  // namespace plumb::parity::cli::flags
