#pragma once

// The flags of verify.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parity/checks/expected/expected.hpp"
#include "parity/cli/flags/candidate_flags.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/memory/memory_flags.hpp"
#include "parity/core/demands.hpp"
#include "parity/core/mode.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli::flags {

struct VerifyFlags {
  std::vector<std::string> paths;
  GraphFlags graph;
  DeviceFlags device;
  MemoryFlags memory;
  CandidateFlags candidate;  ///< the one that is judged at a time, of `candidates`
  std::vector<std::string> candidates = {"vulkan"};
  std::string between = "report";          ///< exact: results of two candidates must have the same bits
  std::string chosen_cases, shard, times;  ///< --case, --shard and --times
  std::string jobs, case_timeout, budget;  ///< as they are given
  bool share_device = false;
  std::vector<std::string> plants;  ///< --plant, as they are given
  unsigned retries = 0;
  std::string today;                    ///< --today; "": as the clock has it
  std::string child;                    ///< a file that says which case of a --jobs this process is for
  std::vector<std::string> chosen_ops;  ///< globs; empty: all
  std::string filter, skip, tag, json, junit, counts, markdown, html, results, tensors = "never", rows = "all";
  std::string map;  ///< --map; "": where there is a place for maps, those of the worst
  std::string policy, history, explain, profile, emulate, fill = "graph";
  std::string mode = "attribute";
  unsigned repeat = 1;
  std::optional<std::size_t> blame;
  std::uint64_t seeds = 1;
  bool each_kernel = false;
  std::vector<double> min_verified;
  checks::expected::Options expected;
  core::Demands demands;
  core::terminal::StyleFlags style;
  bool list = false, resume = false, metamorphic = false, no_plain = false, fail_fast = false, validate = false,
       headroom = false, verbose = false, quiet = false, force = false, github = false, no_inputs = false;
};

void add_verify_flags(CLI::App& app, VerifyFlags& flags);

core::Mode mode_of(const std::string& name);

/// --map, and whether results or page are written, which have the maps. Throws Error where it is asked without.
cases::KeepMaps kept_maps(const VerifyFlags& flags);

/// --filter, --skip and --op.
cases::NodeFilter node_filter(const VerifyFlags& flags);

/// The flags that a repro line repeats, with those for the options that they and the environment made of a device.
std::string repeated_flags(const VerifyFlags& all, const verify::FillOptions& fill,
                           const gpu_vulkan::device::VulkanOptions& device);

}  // namespace plumb::parity::cli::flags
