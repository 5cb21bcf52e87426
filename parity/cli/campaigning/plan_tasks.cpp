// Cuts the jobs of a plan into tasks: a choice of its flags, one graph, and some of its seeds.
#include "parity/cli/campaigning/plan_tasks.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "library/open_candidate.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/as_meant.hpp"
#include "parity/cli/flags/graph_paths.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/verifying/selection.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using campaign::Job;
using campaign::Kind;
using campaign::Task;
using Words = std::vector<std::string>;

/// Takes words as the command's own parser does, so that they mean the same, and nothing else passes.
void parse(CLI::App& app, std::string_view command, Words words) {
  flags::take_as_meant(app);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    Words names;
    for (const CLI::Option* const option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    std::string rest = app.remaining().front();
    rest.erase(std::min(rest.find('='), rest.size()));
    ir::fail("with: plumb ", command, " has no option '", rest, "'", core::did_you_mean(rest, names));
  } catch (const CLI::ParseError& problem) {
    ir::fail(problem.what());
  }
}

void require_parses(Kind kind, const Words& words) {
  const std::string_view name = ir::enum_name(kind);
  const auto* const command = std::ranges::find(commands, name, &Command::name);
  CLI::App app;
  const Action action = command->declare(app);  // which has what the flags are written to
  parse(app, name, words);
}

/// The files that a glob matches; any other text as it is.
Words paths_of(const std::string& said) {
  std::error_code none;
  if (said.find_first_of("*?[") == said.npos || fs::exists(said, none)) return {said};
  glob_t found{};
  const int problem = ::glob(said.c_str(), 0, nullptr, &found);
  Words paths(found.gl_pathv, found.gl_pathv + (problem == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  ir::require(problem == 0 || problem == GLOB_NOMATCH, "'", said, "' cannot be looked up");
  ir::require(!paths.empty(), "no file matches '", said, "'");
  return paths;
}

Words graphs_of(const Job& job) {
  Words all;
  for (const std::string& said : job.cases)
    for (std::string& path : flags::graph_paths(paths_of(said))) {
      ir::require(!is_list(path), path,
                  ": is a list of cases; a job names graphs, and says in `with` what is the same of all");
      all.push_back(std::move(path));
    }
  return all;
}

/// Whether our device runs it; any other candidate needs none that the campaign could choose.
bool needs_device(const Words& words) {
  bool is_other = false;
  for (const std::string& word : words) {
    constexpr std::string_view candidate = "--candidate=";
    if (word == "--on=cpu") return false;
    if (!word.starts_with(candidate)) continue;
    flags::CandidateFlags said;
    said.candidate = word.substr(candidate.size());
    flags::DeviceFlags named;
    if (flags::is_vulkan(said, named)) return true;
    is_other = true;
  }
  return !is_other;
}

class Planner {
 public:
  explicit Planner(const campaign::Plan& plan) : plan_(plan) {}

  std::vector<Task> tasks() {
    for (const Job& job : plan_.jobs) try {
        for (const Words& words : job.variants) add_variant(job, words);
      } catch (const ir::Error& problem) {
        const std::string_view text = problem.what();
        if (text.starts_with(job.where)) throw;
        ir::fail(job.where, ": ", text);
      }
    return std::move(tasks_);
  }

 private:
  void add_variant(const Job& job, const Words& words);
  void add_graph(const Job& job, const std::string& path, Words words);
  void add_seeds(const Job& job, const Task& task, const verify::FillOptions& fill);
  void add(const Job& job, Task task);

  const campaign::Plan& plan_;
  std::vector<Task> tasks_;
  std::set<std::string> ids_;
  std::map<Words, std::string> contents_;  ///< hashes of what these files have
};

void Planner::add(const Job& job, Task task) {
  task.retries = job.retries;
  task.timeout = job.timeout;
  std::string& content = contents_[task.files];
  if (content.empty()) content = campaign::hash_of(task.files);
  task.content = content;
  const bool needs = needs_device(task.flags);
  const std::size_t kinds = needs && plan_.every ? plan_.devices.size() : 1;
  for (std::size_t k = 0; k < kinds; ++k) {
    if (needs) task.devices = plan_.every ? Words{plan_.devices[k]} : plan_.devices;
    task.id = campaign::id_of(task);
    if (ids_.insert(task.id).second) tasks_.push_back(task);
  }
}

void Planner::add_variant(const Job& job, const Words& words) {
  if (job.kind == Kind::verify || job.kind == Kind::power) {
    for (const std::string& path : graphs_of(job)) add_graph(job, path, words);
    return;
  }
  if (job.kind == Kind::conformance) {
    for (const std::string& said : job.cases)
      for (const std::string& suite : paths_of(said)) {
        ir::require(fs::is_directory(suite), suite, ": is no folder of a suite");
        for (std::uint64_t k = 1; k <= job.shards; ++k) {
          Task task{.kind = job.kind, .path = suite, .flags = words, .cost = 1.0 / static_cast<double>(job.shards)};
          if (job.shards > 1) task.flags.push_back(fmt::format("--shard={}/{}", k, job.shards));
          Words all = task.flags;
          all.push_back(suite);
          if (k == 1) require_parses(job.kind, all);  // All others differ by numbers of ours.
          add(job, std::move(task));
        }
      }
    return;
  }
  const std::uint64_t part = job.count_per_task == 0 ? job.count : job.count_per_task;
  for (std::uint64_t first = 0; first < job.count; first += part) {
    const std::uint64_t count = std::min(part, job.count - first);
    Task task{.kind = job.kind, .flags = words, .cost = static_cast<double>(count)};
    task.flags.push_back(fmt::format("--seed={}", job.seed));
    task.flags.push_back(fmt::format("--first={}", first));
    task.flags.push_back(fmt::format("--count={}", count));
    if (first == 0) require_parses(job.kind, task.flags);  // All others differ by numbers of ours.
    add(job, std::move(task));
  }
}

void Planner::add_graph(const Job& job, const std::string& path, Words words) {
  // As verify has it of several: a graph in JSON leaves nothing open.
  if (!flags::is_onnx(path))
    std::erase_if(words, [](const std::string& word) {
      return word.starts_with("--shape=") || word.starts_with("--data=") || word.starts_with("--bucket=");
    });
  Task task{.kind = job.kind, .path = path, .flags = words, .files = {path}, .counts = job.counts};
  if (!job.policy.empty()) task.flags.push_back("--policy=" + job.policy);
  if (!job.policy.empty()) task.files.push_back(job.policy);
  Words all = task.flags;
  all.push_back(path);
  // Both commands read a graph alike, and its cost tells theirs.
  CLI::App app;
  flags::VerifyFlags read;
  read.paths = {path};
  if (job.kind == Kind::verify) {
    flags::add_verify_flags(app, read);
  } else {
    require_parses(job.kind, all);
    app.allow_extras();  // Some are power's own.
    flags::add_graph_flags(app, read.graph);
  }
  parse(app, ir::enum_name(job.kind), all);
  const std::vector<Batch> batches = batches_of(read);
  std::vector<fs::path> named = flags::files_read(batches.front().flags.graph);
  for (const std::string* const file : {&read.profile, &read.emulate}) named.emplace_back(*file);
  for (const std::string& spec : read.candidates)
    std::ranges::move(library::files_read(spec, read.candidate.options), std::back_inserter(named));
  std::error_code none;
  for (const fs::path& file : named)
    if (fs::is_regular_file(file, none)) task.files.push_back(file.string());
  const PlannedCase planned = plan_cases(read, batches, true).front();
  task.cost = std::max(1.0, planned.flops.value_or(0)) * static_cast<double>(read.candidates.size());
  if (job.kind == Kind::verify) return add_seeds(job, task, batches.front().fill);
  task.flags.push_back(fmt::format("--seed={}", job.seed));
  add(job, std::move(task));
}

/// Runs of several seeds have params of the first, whichever task they are in. An exact twin is a graph of its own for
/// each seed.
void Planner::add_seeds(const Job& job, const Task& task, const verify::FillOptions& fill) {
  const bool is_exact = fill.kind == core::FillKind::exact;
  const std::uint64_t part = is_exact ? 1 : std::min(job.seeds_per_task.value_or(job.seeds), job.seeds);
  for (std::uint64_t first = 0; first < job.seeds; first += part) {
    const std::uint64_t seeds = std::min(part, job.seeds - first);
    Task some = task;
    some.cost *= static_cast<double>(seeds);
    some.flags.push_back(fmt::format("--seed={}", job.seed + first));
    if (seeds > 1) some.flags.push_back(fmt::format("--seeds={}", seeds));
    if (job.seeds > 1 && !is_exact && !fill.param_seed) some.flags.push_back(fmt::format("--param-seed={}", job.seed));
    add(job, std::move(some));
  }
}

}  // namespace

std::vector<Task> tasks_of(const campaign::Plan& plan) { return Planner(plan).tasks(); }

}  // namespace plumb::parity::cli
