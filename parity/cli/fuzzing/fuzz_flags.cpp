// Declares the flags of fuzz.
#include "parity/cli/fuzzing/fuzz_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/op_list.hpp"
#include "ir/raw/glob.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_cases = 1'000'000'000;
constexpr std::size_t most_nodes = 200;

void add_choice_flags(CLI::App& app, FuzzFlags& flags) {
  app.add_option("--seed", flags.cases.seed, "seed of what is drawn; a case is a function of it and its number")
      ->capture_default_str()
      ->group("cases");
  app.add_option("--first", flags.first, "the number of the first case")
      ->check(flags::whole_from_to(0, most_cases))
      ->capture_default_str()
      ->group("cases");
  app.add_option("--count", flags.count, "how many numbers of cases there are from that one on")
      ->check(flags::whole_from_to(1, most_cases))
      ->capture_default_str()
      ->group("cases");
  app.add_flag("--single", flags.single, "cases of one node alone: those of even numbers")->group("cases");
  app.add_flag("--graphs", flags.graphs, "graphs of several nodes alone: those of odd numbers")->group("cases");
  app.add_option("--op", flags.ops, "cases that have one of these ops: 'softmax', 'conv*,matmul'")
      ->type_name("OP,...")
      ->delimiter(',')
      ->group("cases");
  app.add_option("--nodes", flags.cases.most_nodes, "how many nodes a graph has at most")
      ->check(flags::whole_from_to(2, most_nodes))
      ->capture_default_str()
      ->group("cases");
}

void add_place_flags(CLI::App& app, FuzzFlags& flags) {
  app.add_option("--corpus", flags.corpus,
                 "a folder that keeps which cases were tried, what they reached, and what fails: reduced, in found/")
      ->type_name("FOLDER");
  app.add_option("--keep", flags.keep, "also write what is found as a fixture into this folder")
      ->type_name("FOLDER")
      ->needs("--corpus");
  CLI::Option* const write =
      app.add_option("--write", flags.write, "write the graphs into this folder, and judge nothing")
          ->type_name("FOLDER");
  CLI::Option* const replay =
      app.add_option("--replay", flags.replay, "judge these graph files, or all in these folders, in place of cases")
          ->type_name("FILE")
          ->excludes(write);
  app.add_option("--merge", flags.merge, "judge the cases of these corpora, too, and keep those that reach most")
      ->type_name("FOLDER")
      ->needs("--corpus")
      ->excludes(write)
      ->excludes(replay);
  app.add_flag("--hostile", flags.hostile, "read broken files in place of cases: each must be refused, and no more")
      ->excludes(write)
      ->excludes(replay);
  app.add_flag("--force", flags.force, "write into a folder that has files");
}

}  // namespace

std::optional<std::chrono::milliseconds> FuzzFlags::time() const {
  if (budget.empty()) return std::nullopt;
  return flags::duration_of("--budget", budget);
}

std::chrono::milliseconds FuzzFlags::case_time() const { return flags::duration_of("--case-timeout", timeout); }

void add_fuzz_flags(CLI::App& app, FuzzFlags& flags) {
  add_choice_flags(app, flags);
  app.add_option("--budget", flags.budget, "begin no more cases after this time: 90s, 10m, 1h")->type_name("TIME");
  app.add_option("--until-coverage", flags.until_coverage,
                 "end when this share of what ops declare was reached on the device: dtypes, choices, switches, fills")
      ->check(flags::from_to(0, 1));
  app.add_option("--case-timeout", flags.timeout, "a case that takes longer hangs")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--plant", flags.plants, "plant a fault, as verify does")
      ->type_name("FAULT[=ARG]@GLOB")
      ->allow_extra_args(false);
  add_place_flags(app, flags);
  flags::add_candidate_flags(app, flags.candidate);
  flags::add_device_flags(app, flags.device);
}

void require_sense(const FuzzFlags& flags) {
  ir::require(!flags.single || !flags.graphs, "--single and --graphs leave no cases: name one of them");
  std::vector<std::string> names;
  for (const ir::OpSchema* const schema : ir::all_schemas()) names.emplace_back(schema->name);
  for (const std::string& glob : flags.ops)
    ir::require(std::ranges::any_of(names, [&](const std::string& op) { return ir::raw::glob_matches(glob, op); }),
                "--op: there is no op '", glob, "'", core::did_you_mean(glob, names));
  for (const std::string& plant : flags.plants) parse_plant(plant);
  flags.time();
  flags.case_time();
}

std::optional<studies::fuzz::DrawnCase> chosen_case(const FuzzFlags& flags, std::uint64_t number) {
  const bool is_single = studies::fuzz::is_single(number);
  if (is_single ? flags.graphs : flags.single) return std::nullopt;
  const auto matches = [&](std::string_view op) {
    return std::ranges::any_of(flags.ops, [&](const std::string& glob) { return ir::raw::glob_matches(glob, op); });
  };
  if (!flags.ops.empty() && is_single && !matches(studies::fuzz::op_of_case(flags.cases, number).name))
    return std::nullopt;  // most cases need not be drawn
  auto drawn = studies::fuzz::draw_case(flags.cases, number);
  const auto& nodes = drawn.file.graph.nodes();
  if (!flags.ops.empty() && std::ranges::none_of(nodes, [&](const ir::Node& node) { return matches(node.op.name()); }))
    return std::nullopt;
  return drawn;
}

}  // namespace plumb::parity::cli
