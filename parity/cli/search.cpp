// plumb search: looks for numbers that bring a graph close to its limits.
#include "parity/studies/search/search.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "library/reference.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::cli {
namespace {

struct SearchFlags {
  std::string path, objective = "ratio", budget = "60s", keep;
  std::optional<std::uint64_t> steps;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

/// Whatever is found in an hour must not be lost to a folder that cannot be written to.
void check_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error, none;
  std::filesystem::create_directories(folder, error);
  ir::require(std::filesystem::is_directory(folder, none) && access(folder.c_str(), W_OK) == 0,
              "--keep: cannot write to the folder ", folder, error ? ": " + error.message() : "");
}

int run_search(const SearchFlags& flags) {
  studies::search::Options options;
  options.objective = ir::enum_value<studies::search::Objective>(flags.objective).value();
  options.steps = flags.steps;
  options.seconds = flags::seconds_of("--budget", flags.budget);
  check_folder(flags.keep);
  verify::FillOptions fill = flags::fill_options(flags.graph);
  options.seed = fill.seed;
  fill.kind = core::FillKind::adversarial;
  const core::ThreadLimit comparing(flags.device.threads);
  const auto start = [&](ir::AdversarialKind kind) {
    fill.adversarial = kind;
    return verify::load_case(flags.path, fill);
  };
  start(ir::AdversarialKind::wave);  // a fault of the graph is reported before a device is looked for
  ref_cpu::CpuExecutor reference = library::reference_executor(flags.device.threads);
  const flags::ChosenExecutor on = flags::open_chosen("gpu", flags.candidate, flags.device);
  flags::require_computes(*on.executor, on.spec, "a search asks for many");
  const cases::Executors executors = on.beside(reference);
  const studies::search::Outcome found = studies::search::search(start, executors, options);
  bool has_failed = false;
  for (const studies::search::Record& record : found.records) {
    has_failed = has_failed || record.is_failure;
    std::string text =
        fmt::format("{} {:.3g} at {} ({}), from {} in step {}", record.is_failure ? "failed" : flags.objective,
                    record.value, record.node, record.op, record.from, record.step);
    if (!flags.keep.empty()) {
      const auto path = std::filesystem::path(flags.keep) / studies::search::file_name(record, options.objective);
      show::write_graph_text(path, studies::search::to_file(record, options.objective));
      text += ": " + path.string();
    }
    show::print("{}\n", text);
  }
  show::print("{}: {} {:.3g} in the fills, {:.3g} after {} steps ({} runs) | seed {}\n", flags.path, flags.objective,
              found.first, found.best, found.steps, found.runs, options.seed);
  return static_cast<int>(has_failed ? core::ExitCode::failed : core::ExitCode::passed);
}

}  // namespace

Action search(CLI::App& app) {
  const auto flags = std::make_shared<SearchFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--for", flags->objective,
                 "what is to become large: an error over its first limit (ratio), over the certain one (certain), end "
                 "to end (total), or a limit over the scale of its numbers (missed)")
      ->check(flags::one_of({"ratio", "certain", "total", "missed"}))
      ->capture_default_str();
  app.add_option("--budget", flags->budget, "how long to search: 60s, 5m, 1h")->capture_default_str();
  app.add_option("--steps", flags->steps, "search for so many steps, however long they take: the same every time");
  app.add_option("--keep", flags->keep, "write what was found to this folder, as graph files");
  flags::add_graph_flags(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  flags::add_chosen_executor_flags(app, flags->candidate, nullptr);
  return [flags] { return run_search(*flags); };
}

}  // namespace plumb::parity::cli
