#pragma once

// The batches of a command line of verify: graphs, and the flags that hold for them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parity/cli/flags/verify_flags.hpp"
#include "parity/policy/policy_gate.hpp"

namespace plumb::parity::cli {

/// Graphs that are verified alike: those that the command line names, or those of one case of a list.
struct Batch {
  flags::VerifyFlags flags;               ///< the command line's, where the case says nothing else
  std::size_t number = 0;                 ///< its place among all batches of the command line
  std::vector<std::string> paths = {};    ///< graph files
  std::string where = {};                 ///< "models.toml:12"; "" of the command line
  std::vector<std::string> tags = {};     ///< as a list of cases gives them
  std::optional<double> seconds = {};     ///< the time that all of it takes, where --budget asks and --times knows
  verify::FillOptions fill = {};          ///< by its flags
  std::optional<policy::Gate> gate = {};  ///< likewise, once it is opened

  /// Cases that a graph makes: by seed and candidate, and of a decoder by the steps behind its prompt.
  std::uint64_t runs() const {
    const auto steps = static_cast<std::uint64_t>(flags.graph.model.gguf.decode);
    return flags.seeds * flags.candidates.size() * (1 + steps);
  }
};

/// Whether a path of the command line is a list of cases.
bool is_list(const std::filesystem::path& path);

/// The batches of the command line, lists replaced by their cases. Their FillOptions are made, gates not. Throws Error,
/// naming the case, where its flags do not go together or name a file that is not there.
std::vector<Batch> batches_of(const flags::VerifyFlags& flags);

}  // namespace plumb::parity::cli
