#pragma once

// Which of the graphs of a command line `plumb verify` runs, before anything of them is run.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parity/cases/listed/sharding.hpp"
#include "parity/cases/listed/tag_expression.hpp"
#include "parity/cli/verifying/batches.hpp"

namespace plumb::parity::cli {

/// A graph with the flags that hold for it.
struct PlannedCase {
  std::string id = {};                      ///< that of its first seed, without `feeds=` and what the device settles
  std::vector<std::string> tags = {};       ///< those of its list, and then of its graph
  cases::Tags built_in = {};                ///< those that it has of itself
  std::uint64_t runs = 1;                   ///< its seeds, by each candidate
  std::optional<std::uint64_t> nodes = {};  ///< nothing where the graph was not read, or cannot be
  std::optional<double> flops = {};         ///< those of one run; likewise
  std::optional<double> seconds = {};       ///< the time of all runs, where --times has it
  std::optional<std::uint16_t> share = {};  ///< the share that it falls to, where cases are shared out
  std::string problem = {};                 ///< why it cannot be read
  bool is_unsupported = false;              ///< it is we who cannot read it, and the file is not at fault

  cases::CaseCost cost() const;
};

/// Leaves the graphs whose ids match --case. Throws Error where none does.
void choose_cases(const flags::VerifyFlags& flags, std::vector<Batch>& batches);

/// Throws Error where --filter, --skip or a glob of --op matches no node of any graph, or all of them together leave
/// none: one of them was misspelt. Graphs that cannot be read, and those without nodes, are no proof of that.
void require_chosen_nodes(const flags::VerifyFlags& flags, const std::vector<Batch>& batches);

/// The graphs of all batches, in their order. Graphs of which --times does not know how long they take are read, and
/// `reads_all` has the others read, too. Throws Error where --times names no results file.
std::vector<PlannedCase> plan_cases(const flags::VerifyFlags& flags, const std::vector<Batch>& batches, bool reads_all);

/// Says which of `count` shares each falls to. Returns cases::partition_of.
std::string share_out(std::vector<PlannedCase>& planned, std::uint16_t count);

/// Leaves the graphs of one share of what is shared out; how many these are.
std::size_t keep_share(std::uint16_t index, const std::vector<PlannedCase>& planned, std::vector<Batch>& batches);

/// A batch for each graph, the most urgent first: those of which --times has no run, or without it all, then those that
/// did not pass there, and then the rest.
std::vector<Batch> by_urgency(const flags::VerifyFlags& flags, const std::vector<Batch>& batches);

/// The list of --list: a table, or JSON ("plumb.list/1").
std::string list_text(const std::vector<PlannedCase>& planned);
std::string list_json(const std::vector<PlannedCase>& planned);

}  // namespace plumb::parity::cli
