#pragma once

// --shard: which share of the cases a start of the program takes.

#include <optional>
#include <string>

#include "parity/cases/listed/sharding.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::parity::cli::flags {

/// Adds --shard, which takes I/N, or env.
CLI::Option* add_shard_flag(CLI::App& app, std::string& shard);

/// The share that the flag names. `env` takes it from the variables of a system that starts several at once: GitLab,
/// CircleCI, Buildkite, Slurm's arrays or Bazel. Without the flag Bazel's are obeyed, as its rules demand; nothing
/// where these are not set either. A flag that says I/N reads no number from a variable. Throws Error where `env` finds
/// none, where two systems disagree, and where a variable is no number of a share.
std::optional<cases::Shard> chosen_shard(const std::string& flag);

}  // namespace plumb::parity::cli::flags
