// `plumb probe`: finds by experiment how an executor rounds, and writes that as a profile.
#include "library/probe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "library/model.hpp"
#include "library/open_candidate.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/foreign/spec.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

struct ProbeFlags {
  std::string on = "gpu", candidate, model, output;
  std::vector<std::string> shapes;  ///< those that the model leaves open
  library::CandidateOptions asking;
  bool force = false;
  flags::DeviceFlags device;
};

/// Takes --candidate of an executor of ours for what --on says.
void settle_on(ProbeFlags& flags) {
  if (flags.candidate.empty()) return;
  const foreign::Spec spec = foreign::parse_spec(flags.candidate);
  using foreign::Kind;
  if (spec.kind == Kind::vulkan && !spec.arguments.empty()) flags.device.device = spec.arguments;
  if (spec.kind == Kind::vulkan || spec.kind == Kind::cpu) {
    flags.on = spec.kind == Kind::cpu ? "cpu" : "gpu";
    flags.candidate.clear();
    return;
  }
  library::require_probed(flags.candidate);
}

profile::DeviceProfile profile_of(const ProbeFlags& flags, const profile::probe::ProbeOptions& options) {
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  if (!flags.candidate.empty()) {
    library::CandidateOptions asking = flags.asking;
    asking.threads = flags.device.threads;
    const library::OpenedCandidate opened = library::open_candidate(flags.candidate, asking);
    return library::probe_candidate(dynamic_cast<foreign::Candidate&>(*opened.executor), cpu, options);
  }
  if (flags.on == "cpu") return library::probe_host(cpu, options);
  gpu_vulkan::VulkanExecutor device(flags::vulkan_options(flags.device));
  return library::probe_device(device, cpu, options);
}

int run_probe(ProbeFlags flags) {
  settle_on(flags);
  const auto output = flags::Outputs{.force = flags.force}.open_text(flags.output, "plumb-profile/");
  const auto start = std::chrono::steady_clock::now();
  profile::probe::ProbeOptions options;
  if (!flags.model.empty())
    options.places =
        profile::probe::products_of(library::read_model(flags.model, {.shapes = flags.shapes}).file->graph);
  report::Progress progress;
  options.step = [&](std::string_view what, std::size_t done, std::size_t steps) { progress.step(what, done, steps); };
  const profile::DeviceProfile profile = profile_of(flags, options);
  progress.erase();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (!output) {
    std::cout << profile::to_toml(profile);
  } else {
    flags::write_whole(output, profile::to_toml(profile));
    fmt::print(stderr, "wrote {}: profile {} of {}, {} units that multiply, {} functions, in {:.1f} s\n", flags.output,
               profile.sha256().substr(0, 12), profile.name, profile.products.size(), profile.functions.size(),
               spent.count());
    if (!flags.model.empty())
      fmt::print(stderr, "{}: the order of summation was found of {} of {} products\n", flags.model,
                 profile.sums.size(), options.places.size());
  }
  return 0;
}

}  // namespace

Action probe(CLI::App& app) {
  const auto flags = std::make_shared<ProbeFlags>();
  auto* const on = app.add_option("--on", flags->on, "the executor to probe")
                       ->check(flags::one_of({"cpu", "gpu"}))
                       ->capture_default_str();
  app.add_option("--candidate", flags->candidate,
                 "probe a backend that is not ours, [NAME=]SPEC: exec:COMMAND, plugin:LIB, ... (docs/probe.md)")
      ->type_name("SPEC")
      ->excludes(on)
      ->group("candidate");
  app.add_option("--candidate-timeout", flags->asking.timeout,
                 "seconds that it may take for all that it is asked at once")
      ->check(flags::whole_from_to(1, 1'000'000))
      ->capture_default_str()
      ->group("candidate");
  app.add_option("--keep-exchange", flags->asking.keep_exchange,
                 "keep what goes to it and comes from it in this folder")
      ->group("candidate");
  auto* const model = app.add_option("--for", flags->model,
                                     "also look for the order in which the products of this model or graph are summed, "
                                     "at their shapes")
                          ->type_name("MODEL");
  app.add_option("--shape", flags->shapes, "what the model leaves open: batch=8, input=1,3,224,224, '*=1'")
      ->type_name("NAME=N")
      ->needs(model);
  flags::add_output(app, "-o,--output", flags->output,
                    "write the profile (TOML, docs/probe.md) here instead of stdout");
  flags::add_force_flag(app, flags->force);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_probe(*flags); };
}

}  // namespace plumb::parity::cli
