// `plumb sweep`: a graph at several precisions, and which nodes may run in f16 within a budget.
#include "parity/sweep/sweep.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cases/precision_plan.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/reference.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/parallel.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

struct SweepFlags {
  std::string path, plan;
  std::vector<std::string> precisions = {"f32", "f16acc32", "f16acc16"};
  std::vector<std::string> choices = {"always", "oscillation", "bound"};
  sweep::SweepOptions options;
  bool verbose = false, force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

template <class E>
std::vector<E> named(const std::vector<std::string>& names) {
  std::vector<E> found;
  for (const std::string& name : names) ir::from_attribute(name, found.emplace_back());
  return found;
}

std::unique_ptr<gpu_vulkan::VulkanExecutor> open_device(const flags::DeviceFlags& flags) try {
  return std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(flags));
} catch (const ir::Unsupported& reason) {
  std::cerr << "no device can be used, so the sweep runs on the CPU: " << reason.what() << '\n';
  return nullptr;
}

/// The plan that `bound` made, as a file.
void write_plan(const std::unique_ptr<ir::files::OutputFile>& file, const SweepFlags& flags,
                const sweep::SweepResult& result) {
  const auto row = std::ranges::find(result.rows, sweep::Choice::bound, &sweep::SweepRow::choice);
  ir::require(row != result.rows.end(), "--plan needs --choose bound and --precision f16acc32");
  const auto source = ir::cat("plumb sweep ", flags.path, " --seed ", flags.graph.seed, " --budget ",
                              flags.options.budget, ": rel_l2 of every output");
  flags::write_whole(file, cases::to_toml(row->plan, source));
  std::cerr << "plan: " << flags.plan << '\n';
}

/// A budget within which no product may run in f16 would look like a plan that was not made.
void say_what_none_meets(const sweep::SweepResult& result, double budget) {
  const auto row = std::ranges::find(result.rows, sweep::Choice::bound, &sweep::SweepRow::choice);
  if (row == result.rows.end() || !row->unsupported.empty() || !row->plan.empty()) return;
  double least = std::numeric_limits<double>::infinity();
  for (const sweep::Candidate& one : result.candidates)
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
  sweep::SweepOptions options = flags.options;
  options.precisions = named<ir::passes::Precision>(flags.precisions);
  options.choices = named<sweep::Choice>(flags.choices);
  flags::Outputs outputs{.force = flags.force, .inputs = flags::files_read(flags.graph)};
  outputs.inputs.emplace_back(flags.path);
  const auto plan = outputs.open_text(flags.plan, "plumb-precision/");
  const cases::Case subject = verify::load_case(flags.path, flags::fill_options(flags.graph));
  const core::ThreadLimit comparing(flags.device.threads);
  ref_cpu::CpuExecutor reference = reference_executor(flags.device.threads), host({.threads = flags.device.threads});
  const auto device = open_device(flags.device);
  // A software device's clock says what this CPU does, and what else it has to do.
  options.by_time = device && device->facts().kind != gpu_vulkan::device::DeviceKind::software;
  const bool flushes = device && !device->facts().denormals_kept_f32;
  ir::Executor& candidate = device ? static_cast<ir::Executor&>(*device) : host;
  const cases::Executors executors{
      .reference = reference, .candidate = &candidate, .candidate_is_host = !device, .flushes_subnormals = flushes};
  sweep::SweepResult result;
  {
    report::Progress progress;
    result = sweep::sweep(subject, executors, options, progress);
  }
  const terminal::Style style{.width = show::stdout_width()};
  if (flags.verbose) std::cout << sweep::nodes_text(result, style) << '\n';
  std::cout << sweep::to_text(result, style);
  say_what_none_meets(result, options.budget);
  if (plan) write_plan(plan, flags, result);
  const auto failed = [](const sweep::SweepRow& row) { return row.verdict == core::Verdict::failed; };
  return static_cast<int>(std::ranges::any_of(result.rows, failed) ? core::ExitCode::failed : core::ExitCode::passed);
}

}  // namespace

Action sweep(CLI::App& app) {
  const auto flags = std::make_shared<SweepFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX) of f32")->required();
  app.add_option("--precision", flags->precisions, "how products are computed: f32, f16acc32, f16acc16")
      ->delimiter(',')
      ->check(flags::one_of({"f32", "f16acc32", "f16acc16"}))
      ->capture_default_str();
  app.add_option("--choose", flags->choices, "which nodes run in f16: never, always, oscillation, bound")
      ->delimiter(',')
      ->check(flags::one_of({"never", "always", "oscillation", "bound"}))
      ->capture_default_str();
  app.add_option("--budget", flags->options.budget, "relative 2-norm error that `bound` allows every output")
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
  flags::add_force_flag(app, flags->force);
  app.add_flag("-v,--verbose", flags->verbose, "print every node: its share, its weight, and which choices take it");
  flags::add_graph_flags(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  app.footer(
      "columns (docs/f16.md): nodes: products in f16, of how many that could be; flops: their share of the work of "
      "those; max error, rel_l2: of each output against the truth of the graph as it was, rel_l2 relative and by "
      "2-norms: this is what --budget limits; max ratio: the largest error of a node over its limit, which says "
      "whether the kernels are right and not what the precision costs; device us: the fastest run");
  return [flags] { return run_sweep(*flags); };
}

}  // namespace plumb::parity::cli
