// `plumb bench`: how long graphs take on an executor, in the loop of a program that runs them again and again.
#include <CLI/CLI.hpp>
#include <iostream>

#include "parity/cli/benching/bench_report.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

struct BenchFlags {
  std::vector<std::string> paths, limits;
  std::string on = "gpu", budget = "3s", warmup = "400ms", json, against;
  std::optional<std::uint64_t> runs;
  bool nodes = false, samples = false, allow_software = false, force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

void add_flags(CLI::App& app, BenchFlags& flags) {
  app.add_option("graphs", flags.paths, "graph files (plumb.graph/1, ONNX)")->required();
  auto* const on = app.add_option("--on", flags.on, "the executor to time, or both")
                       ->check(flags::one_of({"cpu", "gpu", "both"}))
                       ->capture_default_str();
  auto* const runs =
      app.add_option("--runs", flags.runs, "time so many runs")->check(flags::whole_from_to(1, 10'000'000));
  app.add_option("--budget", flags.budget, "time runs for so long, and seven at least")
      ->type_name("TIME")
      ->capture_default_str()
      ->excludes(runs);
  app.add_option("--warmup", flags.warmup, "run it for so long before, untimed")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("--nodes", flags.nodes, "say which nodes take longest, by further runs in which each is timed");
  app.add_option("--limit", flags.limits,
                 "fail where this of the latency is longer: min, mean, median, p90, p95, p99, max")
      ->type_name("FIELD=TIME")
      ->allow_extra_args(false);
  app.add_flag("--allow-software", flags.allow_software, "take --limit for a software device, too");
  app.add_option("--against", flags.against, "an earlier report of --json: fail where a median is longer")
      ->type_name("FILE");
  flags::add_output(app, "--json", flags.json, "write the times as JSON to this file, or - for stdout");
  app.add_flag("--samples", flags.samples, "with the time of every run");
  flags::add_force_flag(app, flags.force);
  flags::add_graph_flags(app, flags.graph);
  flags::add_precision_flag(app, flags.graph);
  flags::add_device_flags(app, flags.device);
  flags::add_chosen_executor_flags(app, flags.candidate, on);
}

/// Times all graphs, and says of each what it took; whether each kept its limits, and was not slower than before.
class Bench {
 public:
  Bench(const BenchFlags& flags, std::ostream& out) : flags_(flags), out_(out) {
    effort_ = {.runs = flags.runs,
               .budget = flags::seconds_of("--budget", flags.budget),
               .warmup = flags::seconds_of("--warmup", flags.warmup)};
    for (const std::string& text : flags.limits) limits_.push_back(benching::parse_limit(text));
    if (!flags.against.empty()) earlier_ = benching::read_report(flags.against);
  }

  void time_on(const std::string& executor) {
    const flags::ChosenExecutor on = flags::open_chosen(executor, flags_.candidate, flags_.device);
    require_hardware(on);
    for (const std::string& path : flags_.paths) {
      const cases::Case loaded = verify::load_case(path, flags::fill_options(flags_.graph, flags_.candidate));
      timed_.push_back(benching::timed(on, loaded, effort_, flags_.nodes));
      say(timed_.back());
    }
  }

  const std::vector<benching::TimedGraph>& timed() const { return timed_; }
  bool has_failed() const { return has_failed_; }

 private:
  void require_hardware(const flags::ChosenExecutor& on) const {
    if (limits_.empty() || flags_.allow_software || on.device() == nullptr) return;
    const auto& facts = on.device()->facts();
    ir::require(facts.kind != gpu_vulkan::device::DeviceKind::software, "--limit: ", facts.name,
                " is a software device, whose times say nothing of a GPU; --allow-software takes them");
  }

  void say(const benching::TimedGraph& timed) {
    std::string text = benching::to_text(timed);
    const auto latency = studies::bench::spread_of(timed.latency);
    for (const benching::Limit& limit : limits_) {
      const double found = benching::field_of(latency, limit.field);
      const bool is_kept = found <= limit.ms;
      text += fmt::format("  {} {:.4g} ms is {} the limit of {:.4g} ms\n", limit.field, found,
                          is_kept ? "within" : "above", limit.ms);
      has_failed_ |= !is_kept;
    }
    if (earlier_) {
      const benching::Against against = benching::compared(timed, *earlier_, flags_.against);
      text += against.line;
      has_failed_ |= against.verdict == benching::Against::Verdict::slower;
    }
    out_ << core::terminal::printable(text) << std::flush;
  }

  const BenchFlags& flags_;
  std::ostream& out_;
  studies::bench::Effort effort_;
  std::vector<benching::Limit> limits_;
  std::optional<std::vector<benching::Earlier>> earlier_;
  std::vector<benching::TimedGraph> timed_;
  bool has_failed_ = false;
};

int run_bench(const BenchFlags& flags) {
  Bench bench(flags, flags.json == "-" ? std::cerr : std::cout);
  std::vector<std::filesystem::path> inputs(flags.paths.begin(), flags.paths.end());
  if (!flags.against.empty()) inputs.emplace_back(flags.against);
  const flags::Outputs outputs{.force = flags.force, .inputs = std::move(inputs)};
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  if (flags.on == "both") {
    bench.time_on("cpu");
    bench.time_on("gpu");
  } else {
    bench.time_on(flags.on);
  }
  flags::write_whole(json, benching::to_json(bench.timed(), flags.samples));
  return static_cast<int>(bench.has_failed() ? core::ExitCode::failed : core::ExitCode::passed);
}

}  // namespace

Action bench(CLI::App& app) {
  const auto flags = std::make_shared<BenchFlags>();
  add_flags(app, *flags);
  return [flags] { return run_bench(*flags); };
}

}  // namespace plumb::parity::cli
