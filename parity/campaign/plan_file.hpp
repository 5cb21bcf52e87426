#pragma once

// The file that says what a campaign runs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parity/campaign/task.hpp"

namespace plumb::parity::campaign {

/// A [[job]]: what one command does with some cases.
struct Job {
  std::string where = {};  ///< "nightly.toml:4"
  Kind kind = Kind::verify;
  std::vector<std::string> cases = {};                    ///< as written: graphs, folders and globs of them, suites
  std::vector<std::vector<std::string>> variants = {{}};  ///< the flags of `with`, for each choice from its lists
  std::string policy = {};                                ///< as seen from the folder of the file; "": none
  std::uint64_t seed = 1, seeds = 1;                      ///< the first one, and how many
  std::optional<std::uint64_t> seeds_per_task = {};       ///< nothing: all
  std::uint64_t count = 0, count_per_task = 0;            ///< cases of fuzz
  std::uint64_t shards = 1;                               ///< tasks that a suite of conformance makes
  bool counts = false;
  unsigned retries = 2;
  double timeout = 1200;  ///< in seconds
};

struct Plan {
  std::filesystem::path file = {};
  std::vector<Job> jobs = {};
  std::vector<std::string> devices = {"*"};  ///< globs over names
  bool every = false;                        ///< each task once for each of them, not on any of them
};

/// A campaign in TOML, `schema = "plumb-campaign/1"` (docs/campaign.md):
///
///   defaults = { policy = "ci.toml", timeout = "20m" }   # of a job that does not say it itself
///   [[job]]
///   kind = "verify"
///   cases = ["graphs", "models/*.onnx"]
///   seeds = 30
///   with = { dtype = ["f32", "f16"], metamorphic = true }  # flags of the command; lists multiply
///   [devices]
///   use = ["NVIDIA*"]
///
/// Throws Error, naming file and line, for a key that there is not, with the nearest that there is, a value of another
/// kind or out of range, and a flag that is the campaign's own to say. What the values of flags may be their parsers
/// say.
Plan read_plan(const std::filesystem::path& file);

}  // namespace plumb::parity::campaign
