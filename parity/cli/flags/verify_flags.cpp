// The flags of verify, and those that a repro line repeats.
#include "parity/cli/flags/verify_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "parity/cli/flags/bucket_flag.hpp"
#include "parity/cli/flags/demand_flags.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/given_tensors.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/shard_flag.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/terminal/shell_word.hpp"

namespace plumb::parity::cli::flags {
namespace {

void add_profile_flags(CLI::App& app, VerifyFlags& flags) {
  auto* const profile =
      app.add_option("--profile", flags.profile,
                     "device profile that `plumb probe` wrote: how the device rounds; auto: probe once, and keep it");
  app.add_option("--emulate", flags.emulate,
                 "replay matrix products, convolutions and attention as this profile says, and report how far the "
                 "device is from them")
      ->excludes(profile)
      ->type_name("PROFILE");
}

void add_selection_flags(CLI::App& app, VerifyFlags& flags) {
  app.add_option("--case", flags.chosen_cases,
                 "regular expression over ids of cases: of \"models/a.onnx dtype=f16 seed=3\", as --list shows them")
      ->group("select");
  app.add_option("--filter", flags.filter, "regular expression over labels of the nodes to judge")
      ->type_name("LABELS")
      ->group("select");
  app.add_option("--skip", flags.skip, "regular expression over labels of nodes that are not judged")
      ->type_name("LABELS")
      ->group("select");
  app.add_option("--op", flags.chosen_ops, "judge nodes of these ops alone: 'softmax', 'conv*,matmul'")
      ->delimiter(',')
      ->type_name("OP,...")
      ->group("select");
  app.add_option("--tag", flags.tag,
                 "verify cases by their tags: nightly and not (large or op:fft); docs/cases.md has those of every case")
      ->type_name("TAGS")
      ->group("select");
  app.add_flag("--each-kernel", flags.each_kernel,
               "also run each graph by the kernels and tiles that its plan passes over, one after the other, and say "
               "which kernels were judged")
      ->group("select");
  app.add_flag("--list", flags.list, "say which cases there are, and run none; with --json - as JSON")->group("select");
  add_shard_flag(app, flags.shard)->group("select");
  app.add_option("--times", flags.times,
                 "a results file that says how long cases take, for --shard, --list and --budget")
      ->group("select");
  app.add_option("--budget", flags.budget,
                 "begin no case that would end after this time, such as 5m; by --times those come first that it has no "
                 "run of, and then those that did not pass")
      ->type_name("TIME")
      ->group("select");
}

void add_process_flags(CLI::App& app, VerifyFlags& flags) {
  auto* const jobs =
      app.add_option("--jobs", flags.jobs,
                     "run each case in a process of its own, so many at a time; auto: one for each device of --device")
          ->type_name("N|auto")
          ->group("processes");
  app.add_option("--case-timeout", flags.case_timeout,
                 "end a case that takes longer, such as 90s or 10m: it is an error")
      ->type_name("TIME")
      ->needs(jobs)
      ->group("processes");
  app.add_flag("--share-device", flags.share_device,
               "let several processes have one device; times are those of a device that is shared")
      ->needs(jobs)
      ->group("processes");
  app.add_option(
         "--retries", flags.retries,
         "try a run again whose device was lost, out of memory or late, or whose process crashed, so many times "
         "at most, each in a process of its own (--jobs 1, where that is not said)")
      ->check(whole_from_to(0, 3))
      ->capture_default_str()
      ->group("processes");
  app.add_option("--plant", flags.plants,
                 "plant a fault in the nodes that match: one of `plumb power --list`, ARG being its share, nan, "
                 "flicker=P, lost=N, hang=SECONDS or crash (docs/ci.md)")
      ->type_name("FAULT[=ARG]@GLOB")
      ->allow_extra_args(false)
      ->group("processes");
  app.add_option("--child", flags.child)->group("");  // for --jobs alone
}

void add_output_flags(CLI::App& app, VerifyFlags& flags) {
  add_output(app, "-o,--output", flags.results, "write all cases to this results file (HDF5)")->group("output");
  app.add_flag(
         "--resume", flags.resume,
         "go on with what -o was writing when it was cut off: runs that it has are not made again, but for errors")
      ->group("output");
  app.add_option("--tensors", flags.tensors,
                 "for which nodes the results file keeps tensors: none, those that failed, ...")
      ->check(one_of({"never", "fail", "worst", "all"}))
      ->capture_default_str()
      ->group("output");
  app.add_option("--rows", flags.rows,
                 "which runs the results file has all numbers of: all, or the first of each graph and those that did "
                 "not pass, and of the others what `judge` and `fit` need")
      ->check(one_of({"all", "failed"}))
      ->capture_default_str()
      ->group("output");
  app.add_option("--map", flags.map,
                 "whose maps of errors -o and --html have: of what is beyond its limits and of the 32 worst (the "
                 "default), or of every output")
      ->check(one_of({"worst", "all"}))
      ->group("output");
  app.add_flag("--no-inputs", flags.no_inputs, "keep no numbers of inputs in the results file, only their hashes")
      ->group("output");
  add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout")->group("output");
  add_output(app, "--junit", flags.junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  add_output(app, "--counts", flags.counts,
             "write how many comparisons there were, by op, dtype, kernel and fill, and the alarms among them, as JSON "
             "to this file, or - for stdout: for campaigns of thousands of seeds")
      ->group("output");
  add_page_flags(app, flags.markdown, flags.html);
  add_github_flag(app, flags.github);
  add_force_flag(app, flags.force);
  app.add_flag("--headroom", flags.headroom,
               "print for each node how many bits its values may grow before they are beyond f16")
      ->group("output");
  app.add_flag("-v,--verbose", flags.verbose, "print every node, and the plan of each graph")->group("output");
  app.add_flag("-q,--quiet", flags.quiet, "print only what did not pass, and the last line")->group("output");
}

void add_policy_flags(CLI::App& app, VerifyFlags& flags) {
  auto* const policy = app.add_option("--policy", flags.policy, "judge by this policy (TOML, docs/policy.md)");
  add_today_flag(app, flags.today);
  app.add_option("--history", flags.history,
                 "results files of earlier runs: a quarantine excuses nothing where they had more incidents than its "
                 "max_rate allows")
      ->type_name("DIR")
      ->needs(policy);
  app.add_option("--explain", flags.explain,
                 "say for these nodes (a glob) which rule decides, and why no other rule does")
      ->needs(policy);
}

}  // namespace

void add_verify_flags(CLI::App& app, VerifyFlags& flags) {
  app.add_option("graphs", flags.paths,
                 "graph files (plumb.graph/1, ONNX), folders of them, or lists of cases (TOML, docs/cases.md)")
      ->required();
  add_selection_flags(app, flags);
  app.add_option(
         "--mode", flags.mode,
         "judge each node's own error (attribute), its error in total (propagate), or that of a run of the node "
         "alone on the truth (isolate)")
      ->check(one_of({"propagate", "isolate", "attribute"}))
      ->capture_default_str();
  app.add_option("--blame", flags.blame,
                 "measure which share of the results' errors the N most suspected nodes have (default: 4 of a case "
                 "that fails)");
  app.add_option("--repeat", flags.repeat, "run the device this many times; all runs must agree in every bit")
      ->check(whole_from_to(1, 1000))
      ->capture_default_str();
  app.add_option("--seeds", flags.seeds,
                 "run each graph on the inputs of this many seeds, from --seed on; params stay those of the first")
      ->check(whole_from_to(1, 1'000'000))
      ->capture_default_str()
      ->group("input");
  add_demand_flags(app, flags.demands, flags.min_verified);
  app.add_flag("--no-plain-run", flags.no_plain,
               "do not also run the graph as it is compiled for its results alone, and compare bit by bit");
  add_policy_flags(app, flags);
  add_profile_flags(app, flags);
  app.add_option("--fill", flags.fill,
                 "exact: fill with whole numbers on which every order of evaluation gives the same bits; "
                 "adversarial[:NAME]: with numbers that are hard on sums and scores, of the kind NAME or of one kind "
                 "a seed (docs/fills.md)")
      ->capture_default_str()
      ->group("input");
  app.add_flag(
      "--metamorphic", flags.metamorphic,
      "also check relations that hold for any correct result: permuted rows, half the batch, operands times 4, ...");
  add_bucket_flag(app, flags.graph.model);
  app.add_flag("--fail-fast", flags.fail_fast, "stop after the first case that does not pass");
  app.add_flag(
      "--validate", flags.validate,
      "stop a case at the first node that makes a NaN or an infinity: by its domain, by overflow or by a fault");
  add_process_flags(app, flags);
  add_output_flags(app, flags);
  add_style_flags(app, flags.style);
  add_graph_flags(app, flags.graph);
  add_decode_flags(app, flags.graph.model.gguf);
  add_precision_flag(app, flags.graph);
  add_expected_flags(app, flags.graph, flags.expected);
  add_candidates_flags(app, flags.candidates, flags.candidate);
  add_memory_flags(app, flags.memory, flags.candidate.options.memory);
  add_storage_flag(app, flags.candidate);
  app.add_option("--between", flags.between,
                 "of several candidates, say how their results differ (report), or fail where they have other bits "
                 "(exact)")
      ->check(one_of({"report", "exact"}))
      ->capture_default_str()
      ->group("candidate");
  add_device_flags(app, flags.device);
}

/// How the tensors of --expected and --data are held to the truth, where that is said.
std::string repeated_expectation(const VerifyFlags& all) {
  std::string text;
  const checks::expected::Options usual;
  if (!all.expected.precision.empty()) text += " --expected-precision " + all.expected.precision;
  if (all.expected.runs != usual.runs) text += fmt::format(" --expected-runs {}", all.expected.runs);
  if (all.graph.relative) text += fmt::format(" --rtol {}", *all.graph.relative);
  if (all.graph.absolute) text += fmt::format(" --atol {}", *all.graph.absolute);
  return text;
}

core::Mode mode_of(const std::string& name) {
  for (const core::Mode mode : {core::Mode::propagate, core::Mode::isolate})
    if (ir::enum_name(mode) == name) return mode;
  return core::Mode::attribute;
}

cases::KeepMaps kept_maps(const VerifyFlags& flags) {
  const bool are_kept = !flags.results.empty() || !flags.html.empty();
  ir::require(are_kept || flags.map.empty(), "--map says which maps -o and --html have, and neither is said");
  if (!are_kept) return cases::KeepMaps::none;
  return flags.map == "all" ? cases::KeepMaps::all : cases::KeepMaps::worst;
}

cases::NodeFilter node_filter(const VerifyFlags& flags) {
  cases::NodeFilter filter(flags.filter);
  if (!flags.skip.empty()) filter.skip(flags.skip);
  if (!flags.chosen_ops.empty()) filter.take_ops(flags.chosen_ops);
  return filter;
}

std::string repeated_flags(const VerifyFlags& all, const verify::FillOptions& fill,
                           const gpu_vulkan::device::VulkanOptions& device) {
  std::string text = repeated(all.graph.model) + repeated_expectation(all);
  if (fill.kind != core::FillKind::graph) text += " --fill " + all.fill;
  if (all.metamorphic) text += " --metamorphic";
  if (fill.param_seed) text += " --param-seed " + std::to_string(*fill.param_seed);
  if (all.repeat != 1) text += fmt::format(" --repeat {}", all.repeat);
  if (all.no_plain) text += " --no-plain-run";
  if (all.validate) text += " --validate";
  if (!all.profile.empty()) text += " --profile " + core::terminal::shell_word(all.profile);
  if (!all.emulate.empty()) text += " --emulate " + core::terminal::shell_word(all.emulate);
  if (!all.policy.empty()) text += " --policy " + core::terminal::shell_word(all.policy);
  if (!all.history.empty()) text += " --history " + core::terminal::shell_word(all.history);
  for (const std::string& plant : all.plants) text += " --plant " + core::terminal::shell_word(plant);
  DeviceFlags named = all.device;
  return text + repeated(all.candidate) + (is_vulkan(all.candidate, named) ? repeated(device) : "");
}

}  // namespace plumb::parity::cli::flags
