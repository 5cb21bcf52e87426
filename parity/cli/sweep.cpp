// `plumb sweep`: a graph at several precisions, and which nodes may run in f16 within a budget.
#include "parity/studies/sweep/sweep.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "library/reference.hpp"
#include "parity/cases/precision_plan.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

struct SweepFlags {
  std::string path, plan, given;
  std::vector<std::string> precisions = {"f32", "f16acc32", "f16acc16", "f16", "bf16"};
  bool names_precisions = false;           ///< those that are not the usual ones
  std::vector<std::string> inputs = {""};  ///< files of tensors, a sample each; "" for none
  std::uint64_t seeds = 1;
  std::vector<std::string> choices = {"always", "oscillation", "bound"};
  studies::sweep::SweepOptions options;
  bool verbose = false, force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

/// The rows to run: with --dtype alone the graph stored in that dtype, and the graph in f32.
studies::sweep::SweepOptions options_of(const SweepFlags& flags) {
  studies::sweep::SweepOptions options = flags.options;
  options.precisions.clear();
  options.choices.clear();
  std::vector<std::string> rows = flags.precisions;
  if (const std::string& dtype = flags.graph.dtype; dtype != "f32") {
    if (!flags.names_precisions) rows = {"f32"};
    if (std::ranges::find(rows, dtype) == rows.end()) rows.push_back(dtype);
  }
  for (const std::string& name : rows) {
    if (const auto dtype = ir::find_dtype(name); dtype && *dtype != ir::DType::f32)
      options.stored.push_back(*dtype);
    else
      ir::from_attribute(name, options.precisions.emplace_back());
  }
  for (const std::string& name : flags.choices) ir::from_attribute(name, options.choices.emplace_back());
  ir::require(flags.plan.empty() || options.budgets.size() == 1, "--plan is of one --budget, and there are ",
              options.budgets.size());
  return options;
}

/// The flags of the graph with one of the files of inputs.
flags::GraphFlags fed_from(const SweepFlags& flags, const std::string& file) {
  flags::GraphFlags graph = flags.graph;
  graph.model.load_inputs = file;
  graph.dtype = "f32";  // the truth is that of the graph as it was: a row stores it otherwise
  return graph;
}

bool are_equal(const ir::Feeds& one, const ir::Feeds& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.first == b.first && std::ranges::equal(a.second.bytes(), b.second.bytes());
  });
}

/// The graph fed from every file, by every seed; params stay those of the first seed.
std::vector<cases::Case> load_samples(const SweepFlags& flags) {
  std::vector<cases::Case> samples;
  std::optional<std::uint64_t> seed;
  std::size_t equal = 0;
  for (const std::string& file : flags.inputs) {
    flags::GraphFlags graph = fed_from(flags, file);
    if (seed) graph.seed = *seed;
    verify::FillOptions fill = flags::fill_options(graph);
    seed = fill.seed;  // the first counts where the system chooses
    const std::size_t first = samples.size();
    if (flags.seeds > 1) flags::read_once(fill);
    if (flags.seeds > 1 && !fill.param_seed) fill.param_seed = fill.seed;
    for (std::uint64_t s = 0; s < flags.seeds; ++s, ++fill.seed) {
      cases::Case sample = verify::load_case(flags.path, fill);
      if (samples.size() > first && are_equal(samples[first].feeds, sample.feeds))
        ++equal;
      else
        samples.push_back(std::move(sample));
    }
  }
  if (equal > 0)
    std::cerr << core::terminal::counted(equal, "seed") << " left out: all that the graph is fed comes from a file\n";
  return samples;
}

std::unique_ptr<gpu_vulkan::VulkanExecutor> open_device(const flags::DeviceFlags& flags) try {
  return std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(flags));
} catch (const ir::Unsupported& reason) {
  std::cerr << "no device can be used, so the sweep runs on the CPU: " << reason.what() << '\n';
  return nullptr;
}

/// The command that made a plan, and what it does not say: the seed that it began with, the hash of what was read.
std::string source_of(const SweepFlags& flags, const std::vector<cases::Case>& samples) {
  std::string text = "plumb";
  const std::vector<std::string> words = show::command_line();
  for (std::size_t i = 1; i < words.size(); ++i) text += ' ' + core::terminal::shell_word(words[i]);
  text += ir::cat(": rel_l2 of every output within ", flags.options.budgets[0], ", seed ", samples.front().seed);
  std::vector<std::string> hashes;
  for (const cases::Case& sample : samples)
    if (const std::string& hash = sample.origin.tensors; std::ranges::find(hashes, hash) == hashes.end())
      hashes.push_back(hash);
  for (const std::string& hash : hashes)
    if (!hash.empty()) text += ", tensors read sha256 " + hash;
  return text;
}

/// The plan that `bound` made, as a file.
void write_plan(const std::unique_ptr<ir::files::OutputFile>& file, const SweepFlags& flags,
                const std::vector<cases::Case>& samples, const studies::sweep::SweepResult& result) {
  const auto row = std::ranges::find(result.rows, studies::sweep::Choice::bound, &studies::sweep::SweepRow::choice);
  ir::require(row != result.rows.end(), "--plan needs --choose bound and --precision f16acc32");
  flags::write_whole(file, cases::to_toml(row->plan, source_of(flags, samples)));
  std::cerr << "plan: " << flags.plan << '\n';
}

/// A budget within which no product may run in f16 would look like a plan that was not made.
void say_what_none_meets(const studies::sweep::SweepResult& result) {
  const auto is_empty = [](const studies::sweep::SweepRow& row) { return row.budget && row.plan.empty(); };
  const auto row = std::ranges::find_if(result.rows, is_empty);
  if (row == result.rows.end()) return;
  const double budget = *row->budget;
  double least = std::numeric_limits<double>::infinity();
  for (const studies::sweep::Candidate& one : result.candidates)
    if (!one.errors.empty()) least = std::min(least, std::ranges::max(one.errors));
  if (result.candidates.empty())
    show::print("bound: no product of this graph can run in f16\n");
  else if (least > budget)
    show::print("bound: no product may run in f16 within --budget {:g}: the cheapest alone costs an output {:.2g}\n",
                budget, least);
  else
    show::print("bound: no product runs in f16, as none saves time on this device\n");
}

int run_sweep(const SweepFlags& flags) {
  studies::sweep::SweepOptions options = options_of(flags);
  flags::Outputs outputs{.force = flags.force};
  for (const std::string& file : flags.inputs)
    for (auto& read : flags::files_read(fed_from(flags, file))) outputs.inputs.push_back(std::move(read));
  outputs.inputs.emplace_back(flags.path);
  if (!flags.given.empty()) outputs.inputs.emplace_back(flags.given);
  const auto plan = outputs.open_text(flags.plan, "plumb-precision/");
  const std::vector<cases::Case> samples = load_samples(flags);
  if (!flags.given.empty()) options.given = cases::plan_of(samples.front().file->graph, flags.given);
  const core::ThreadLimit comparing(flags.device.threads);
  ref_cpu::CpuExecutor reference = library::reference_executor(flags.device.threads),
                       host({.threads = flags.device.threads});
  const auto device = open_device(flags.device);
  // A software device's clock says what this CPU does, and what else it has to do.
  options.by_time = device && device->facts().kind != gpu_vulkan::device::DeviceKind::software;
  const bool flushes = device && !device->facts().denormals_kept_f32;
  ir::Executor& candidate = device ? static_cast<ir::Executor&>(*device) : host;
  const cases::Executors executors{
      .reference = reference, .candidate = &candidate, .candidate_is_host = !device, .flushes_subnormals = flushes};
  studies::sweep::SweepResult result;
  {
    report::Progress progress;
    result = studies::sweep::sweep(samples, executors, options, progress);
  }
  const core::terminal::Style style{.width = show::stdout_width()};
  if (flags.verbose) std::cout << studies::sweep::nodes_text(result, style) << '\n';
  std::cout << studies::sweep::to_text(result, style);
  say_what_none_meets(result);
  if (plan) write_plan(plan, flags, samples, result);
  const auto failed = [](const studies::sweep::SweepRow& row) { return row.verdict == core::Verdict::failed; };
  return static_cast<int>(std::ranges::any_of(result.rows, failed) ? core::ExitCode::failed : core::ExitCode::passed);
}

/// Where other commands take one file of inputs, this takes several.
void add_sample_flags(CLI::App& app, SweepFlags& flags) {
  app.remove_option(app.get_option("--load-inputs"));
  app.add_option("--load-inputs", flags.inputs,
                 "read these tensors by name (.npz, .h5) instead of generating them; may be said again, for a sample "
                 "each: errors are then the worst of them, and their median")
      ->allow_extra_args(false)
      ->group("input");
  app.add_option("--seeds", flags.seeds,
                 "run the graph on the inputs of this many seeds, from --seed on, a sample each; params stay those of "
                 "the first")
      ->check(flags::whole_from_to(1, 1000))
      ->capture_default_str()
      ->group("input");
}

}  // namespace

Action sweep(CLI::App& app) {
  const auto flags = std::make_shared<SweepFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX) of f32")->required();
  const CLI::Option* const precisions =
      app.add_option(
             "--precision", flags->precisions,
             "how products are computed: f32, f16acc32, f16acc16, bf16acc32, and with packed weights q8acc32; or "
             "what all f32 values are stored in: f16, bf16")
          ->delimiter(',')
          ->check(flags::one_of({"f32", "f16acc32", "f16acc16", "bf16acc32", "q8acc32", "f16", "bf16"}))
          ->capture_default_str();
  app.add_option("--choose", flags->choices, "which nodes run in f16: never, always, oscillation, bound")
      ->delimiter(',')
      ->check(flags::one_of({"never", "always", "oscillation", "bound"}))
      ->capture_default_str();
  app.add_option("--budget", flags->options.budgets,
                 "relative 2-norm error that `bound` allows every output; of several, as 1e-4,1e-3, each is a row")
      ->delimiter(',')
      ->check(flags::above_zero())
      ->capture_default_str();
  app.add_option("--oscillation", flags->options.oscillation,
                 "`oscillation` takes the nodes whose weight oscillates by less than this (docs/f16.md)")
      ->check(flags::above_zero())
      ->capture_default_str();
  app.add_option("--runs", flags->options.runs, "runs of each variant; the fastest is reported")
      ->check(flags::whole_from_to(1, 1000))
      ->capture_default_str();
  flags::add_output(app, "--plan", flags->plan,
                    "write what `bound` chose (TOML), for --precision of verify, run and dump");
  app.add_option("--given", flags->given, "a plan (TOML) that is run beside what is chosen: what it costs");
  flags::add_force_flag(app, flags->force);
  app.add_flag("-v,--verbose", flags->verbose, "print every node: its share, its weight, and which choices take it");
  flags::add_graph_flags(app, flags->graph);
  add_sample_flags(app, *flags);
  flags::add_device_flags(app, flags->device);
  app.footer(
      "columns (docs/f16.md): nodes: products in f16, of how many that could be; flops: their share of the work of "
      "those; max error, rel_l2, SNR dB, cosine: of each output against the truth of the graph as it was, rel_l2 "
      "relative and by 2-norms: this is what --budget limits; median: of several samples, the others being of the "
      "worst; converted: rel_l2 of what is stored in f16 or bf16 against the graph so converted, inputs and weights "
      "rounded; top-1: lines whose largest element is the truth's; max ratio: the largest error of a node over its "
      "limit, which says whether the kernels are right and not what the precision costs; device us: the fastest run");
  return [flags, precisions] {
    flags->names_precisions = precisions->count() > 0;
    return run_sweep(*flags);
  };
}

}  // namespace plumb::parity::cli
