// Chooses cases by their ids, and shares them out by the time that they take.
#include "parity/cli/verifying/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "ir/cost.hpp"
#include "ir/formats/regular_expression.hpp"
#include "ir/raw/glob.hpp"
#include "parity/cases/identity.hpp"
#include "parity/cli/flags/node_choices.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/cli/verifying/case_tags.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::cli {
namespace {

/// Parts of an id in which runs of one case differ, and those that a case has before it is run alone.
constexpr std::array parts_of_runs = {
    " seed=", " step=", " param_seed=", " alternative=", " fuse=", " set=", " profile=", " feeds="};

std::string id_of_all_runs(std::string id) {
  for (const std::string_view part : parts_of_runs) {
    const auto begin = id.rfind(part);
    if (begin == id.npos) continue;
    const auto end = id.find(' ', begin + 1);
    id.erase(begin, end == id.npos ? id.npos : end - begin);
  }
  return id;
}

std::string id_of(const Batch& batch, const std::string& path) {
  cases::RunSettings settings;
  if (batch.flags.candidates.size() == 1) settings.candidate = batch.flags.candidates.front();
  return cases::identity_of(verify::unread_case(path, batch.fill), flags::mode_of(batch.flags.mode), settings).id();
}

/// Seconds of a run of each case that a results file has, and whether all of its runs passed, by id_of_all_runs.
class Times {
 public:
  explicit Times(const std::string& path) {
    if (path.empty()) return;
    results::ResultsFile file(path);
    for (const results::Run& run : file.runs())
      if (run.is_named()) add(id_of_all_runs(file.name(run.case_id)), run);
  }

  bool has_passed(const std::string& id) const { return !failed_.contains(id_of_all_runs(id)); }

  std::optional<double> of(const std::string& id) const {
    const auto found = runs_.find(id_of_all_runs(id));
    if (found == runs_.end()) return std::nullopt;
    const std::vector<double>& all = found->second;
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  }

 private:
  void add(const std::string& id, const results::Run& run) {
    if (run.wall_s >= 0) runs_[id].push_back(run.wall_s);
    if (run.verdict != core::Verdict::passed) failed_.insert(id);
  }

  std::map<std::string, std::vector<double>> runs_;
  std::set<std::string> failed_;
};

/// Takes the size of a graph and its tags from its file.
void read_size(const Batch& batch, const std::string& path, PlannedCase& one) try {
  const ir::formats::GraphFile file = batch.fill.read(path);
  one.nodes = file.graph.nodes().size();
  one.flops = 0;
  for (const ir::Node& node : file.graph.nodes()) *one.flops += ir::cost_of(file.graph, node).flops;
  for (const std::string& tag : file.tags)
    if (!std::ranges::count(one.tags, tag)) one.tags.push_back(tag);
  one.built_in.merge(tags_of_graph(file.graph, batch.fill.dtype));
} catch (const ir::Unsupported& problem) {
  one.problem = problem.what();
  one.is_unsupported = true;
} catch (const ir::Error& problem) {
  one.problem = problem.what();
}

flags::NodeChoices choices_of(const flags::VerifyFlags& flags) {
  flags::NodeChoices choices;
  choices.add_labels(flags.filter, "--filter");
  choices.add_labels(flags.skip, "--skip");
  for (const std::string& glob : flags.chosen_ops)
    choices.add([glob](const ir::Node& node) { return ir::raw::glob_matches(glob, node.op.name()); },
                ir::cat("no node is of an op that --op names '", glob, "'"));
  for (const std::string& text : flags.plants) {
    const Plant plant = parse_plant(text);
    choices.add([plant](const ir::Node& node) { return plant.is_at(node); }, plant.nowhere());
  }
  if (const std::size_t said = choices.size() - flags.plants.size(); said > 1)
    choices.add([chosen = flags::node_filter(flags)](const ir::Node& node) { return chosen.takes(node); },
                "--filter, --skip and --op leave no node together");
  return choices;
}

nlohmann::ordered_json to_json(const PlannedCase& one) {
  const auto or_null = [](const auto& value) { return value ? nlohmann::ordered_json(*value) : nullptr; };
  nlohmann::ordered_json made = {{"id", one.id},
                                 {"tags", one.tags},
                                 {"built_in", one.built_in},
                                 {"runs", one.runs},
                                 {"nodes", or_null(one.nodes)},
                                 {"flops", or_null(one.flops)},
                                 {"seconds", or_null(one.seconds)},
                                 {"shard", or_null(one.share)}};
  if (!one.problem.empty()) made["problem"] = one.problem;
  return made;
}

}  // namespace

cases::CaseCost PlannedCase::cost() const {
  return {.id = id, .flops = flops.value_or(0) * static_cast<double>(runs), .seconds = seconds};
}

void choose_cases(const flags::VerifyFlags& flags, std::vector<Batch>& batches) {
  if (flags.chosen_cases.empty()) return;
  const ir::formats::RegularExpression chosen(flags.chosen_cases, "--case");
  std::string first;
  for (Batch& batch : batches)
    std::erase_if(batch.paths, [&](const std::string& path) {
      const std::string id = id_of(batch, path);
      if (first.empty()) first = id;
      return !chosen.is_in(id);
    });
  std::erase_if(batches, [](const Batch& batch) { return batch.paths.empty(); });
  ir::require(!batches.empty(), "no case matches --case '", flags.chosen_cases, "'; the first is '", first, "'");
}

void require_chosen_nodes(const flags::VerifyFlags& flags, const std::vector<Batch>& batches) {
  flags::NodeChoices choices = choices_of(flags);
  for (const Batch& batch : batches) choices.look_at(batch.paths, batch.fill.read);
  choices.require_met();
}

std::vector<PlannedCase> plan_cases(const flags::VerifyFlags& flags, const std::vector<Batch>& batches,
                                    bool reads_all) {
  const Times times(flags.times);
  std::vector<PlannedCase> planned;
  for (const Batch& batch : batches)
    for (const std::string& path : batch.paths) {
      PlannedCase one{.id = id_of(batch, path), .tags = batch.tags, .runs = batch.runs()};
      one.built_in = tags_of_path(path);
      one.built_in.merge(tags_of_fill(batch.fill));
      if (const auto seconds = times.of(one.id)) one.seconds = *seconds * static_cast<double>(one.runs);
      if (reads_all || !one.seconds) read_size(batch, path, one);
      planned.push_back(std::move(one));
    }
  return planned;
}

std::string share_out(std::vector<PlannedCase>& planned, std::uint16_t count) {
  std::vector<cases::CaseCost> costs;
  for (const PlannedCase& one : planned) costs.push_back(one.cost());
  const std::vector<std::uint16_t> shares = cases::shares_of(costs, count);
  for (std::size_t i = 0; i < planned.size(); ++i) planned[i].share = shares[i];
  return cases::partition_of(costs, count);
}

std::size_t keep_share(std::uint16_t index, const std::vector<PlannedCase>& planned, std::vector<Batch>& batches) {
  std::size_t place = 0, kept = 0;
  for (Batch& batch : batches) {
    std::vector<std::string> paths;
    for (std::string& path : batch.paths)
      if (planned.at(place++).share == index) paths.push_back(std::move(path));
    kept += paths.size();
    batch.paths = std::move(paths);
  }
  std::erase_if(batches, [](const Batch& batch) { return batch.paths.empty(); });
  return kept;
}

std::vector<Batch> by_urgency(const flags::VerifyFlags& flags, const std::vector<Batch>& batches) {
  const Times times(flags.times);
  std::array<std::vector<Batch>, 3> urgent;
  for (const Batch& batch : batches)
    for (const std::string& path : batch.paths) {
      Batch one = batch;
      one.paths = {path};
      const std::string id = id_of(batch, path);
      one.seconds = times.of(id);
      if (one.seconds) *one.seconds *= static_cast<double>(batch.runs());
      const std::size_t place = !times.has_passed(id) ? 1 : one.seconds ? 2 : 0;
      urgent.at(place).push_back(std::move(one));
    }
  std::vector<Batch> all;
  for (std::vector<Batch>& some : urgent) std::ranges::move(some, std::back_inserter(all));
  return all;
}

std::string list_json(const std::vector<PlannedCase>& planned) {
  nlohmann::ordered_json list = {{"schema", "plumb.list/1"}, {"cases", nlohmann::ordered_json::array()}};
  for (const PlannedCase& one : planned) list["cases"].push_back(to_json(one));
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string list_text(const std::vector<PlannedCase>& planned) {
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("?"); };
  const auto short_number = [](const std::optional<double>& value) {
    return value ? core::terminal::short_number(*value) : std::string("?");
  };
  core::terminal::TextTable table({"case", "tags", "nodes", "runs", "flops", "seconds", "shard"}, 2);
  for (const PlannedCase& one : planned) {
    table.row({core::terminal::printable(one.id),
               core::terminal::printable(fmt::format("{}", fmt::join(one.tags, ","))), number(one.nodes),
               fmt::format("{}", one.runs), short_number(one.flops), short_number(one.seconds),
               one.share ? fmt::format("{}", *one.share) : "-"});
    if (!one.problem.empty()) table.note(core::terminal::printable(one.problem));
  }
  return table.text() + core::terminal::counted(planned.size(), "case") + '\n';
}

}  // namespace plumb::parity::cli
