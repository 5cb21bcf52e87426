// Reads shares from a flag, and from the environment of systems that start a job several times.
#include "parity/cli/flags/shard_flag.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "ir/error.hpp"

namespace plumb::parity::cli::flags {
namespace {

constexpr std::uint64_t most_shares = 65'535;

/// The variables of a system that starts a job several times.
struct System {
  const char* name;
  const char* index;
  const char* count;
  std::uint64_t first;  ///< the number of its first share
};

constexpr System bazel = {"Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0};
constexpr std::array systems = {bazel, System{"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
                                System{"CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
                                System{"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}};

/// A variable's text; "" where it is not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? "" : value;
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::uint64_t whole_variable(const char* name) {
  const auto number = whole(variable(name));
  ir::require(number.has_value(), "the environment's ", name, " is no whole number: '", variable(name), "'");
  return *number;
}

/// Share `index` of `count`, counted from 0; `where` it says so.
cases::Shard share(std::uint64_t index, std::uint64_t count, const std::string& where) {
  ir::require(index < count && count <= most_shares, where, " is share ", index + 1, " of ", count);
  return {static_cast<std::uint16_t>(index + 1), static_cast<std::uint16_t>(count)};
}

/// The share that a system's variables name; nothing where its count is not set. GitLab counts one, without an index,
/// where a job is started once.
std::optional<cases::Shard> share_of(const System& system) {
  if (variable(system.count).empty()) return std::nullopt;
  if (variable(system.index).empty() && variable(system.count) == "1") return cases::Shard{};
  const std::uint64_t index = whole_variable(system.index), count = whole_variable(system.count);
  return share(index - system.first, count, fmt::format("{}={} with {}={}", system.index, index, system.count, count));
}

/// Slurm numbers the tasks of an array as its user says: from a first one, in steps.
std::optional<cases::Shard> share_of_slurm() {
  if (variable("SLURM_ARRAY_TASK_COUNT").empty()) return std::nullopt;
  const std::uint64_t id = whole_variable("SLURM_ARRAY_TASK_ID"), first = whole_variable("SLURM_ARRAY_TASK_MIN"),
                      count = whole_variable("SLURM_ARRAY_TASK_COUNT");
  const std::uint64_t step = variable("SLURM_ARRAY_TASK_STEP").empty() ? 1 : whole_variable("SLURM_ARRAY_TASK_STEP");
  ir::require(step > 0 && (id - first) % step == 0, "SLURM_ARRAY_TASK_ID=", id, " is no step of ", step, " from ",
              first);
  return share((id - first) / step, count, fmt::format("SLURM_ARRAY_TASK_ID={}", id));
}

/// Tells Bazel that the test shares itself out: otherwise it takes each share for the whole.
void acknowledge_bazel() {
  const std::string file = variable("TEST_SHARD_STATUS_FILE");
  if (file.empty()) return;
  const std::ofstream touched(file, std::ios::app);
  ir::require(touched.good(), "cannot touch TEST_SHARD_STATUS_FILE, ", file);
}

cases::Shard share_of_environment() {
  std::optional<cases::Shard> found;
  std::string who;
  const auto take = [&](const char* name, const std::optional<cases::Shard>& said) {
    if (!said) return;
    ir::require(!found || *found == *said, "--shard env: ", who, "'s variables say ", found ? found->text() : "", ", ",
                name, "'s ", said->text());
    found = said;
    who = name;
  };
  for (const System& system : systems) take(system.name, share_of(system));
  take("Slurm", share_of_slurm());
  ir::require(found.has_value(),
              "--shard env: no variables of Bazel, GitLab, CircleCI, Buildkite or a Slurm array are set");
  return *found;
}

/// "2/4"; nothing where it is no share.
std::optional<cases::Shard> parsed(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto index = whole(text.substr(0, slash)), count = whole(text.substr(slash + 1));
  if (!index || !count || *index == 0 || *index > *count || *count > most_shares) return std::nullopt;
  return cases::Shard{static_cast<std::uint16_t>(*index), static_cast<std::uint16_t>(*count)};
}

}  // namespace

CLI::Option* add_shard_flag(CLI::App& app, std::string& shard) {
  const auto look = [](const std::string& text) {
    return text == "env" || parsed(text) ? std::string()
                                         : fmt::format("wanted I/N with I from 1 to N, or env, found '{}'", text);
  };
  return app
      .add_option(
          "--shard", shard,
          "run share I of N, of about equal times (docs/cases.md); env: as GitLab, CircleCI, Buildkite, Slurm or "
          "Bazel say in the environment")
      ->check(CLI::Validator(look, "I/N"));
}

std::optional<cases::Shard> chosen_shard(const std::string& flag) {
  const std::optional<cases::Shard> chosen = flag == "env"  ? share_of_environment()
                                             : flag.empty() ? share_of(bazel)
                                                            : parsed(flag);
  if (!variable(bazel.count).empty()) acknowledge_bazel();
  return chosen;
}

}  // namespace plumb::parity::cli::flags
