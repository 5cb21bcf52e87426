// Opens one of our executors, or somebody else's.
#include "parity/cli/flags/chosen_executor.hpp"

#include <CLI/CLI.hpp>

#include "parity/foreign/spec.hpp"

namespace plumb::parity::cli::flags {

void ChosenExecutor::begins(const cases::Case& subject) const {
  if (auto* const other = foreign()) other->begins(subject);
}

cases::Executors ChosenExecutor::beside(ir::Executor& reference) const {
  return library::executors_of(reference, *executor);
}

std::string ChosenExecutor::repeated(const CandidateFlags& candidate) const {
  const std::string who = flags::repeated(candidate);
  return device() != nullptr ? who + flags::repeated(options_to_repeat(*device())) : who;
}

void add_chosen_executor_flags(CLI::App& app, CandidateFlags& candidate, CLI::Option* on) {
  candidate.candidate.clear();
  CLI::Option* const option = add_candidate_flags(app, candidate);
  if (on != nullptr) option->excludes(on);
}

verify::FillOptions fill_options(const GraphFlags& graph, const CandidateFlags& candidate) {
  if (candidate.candidate.empty()) return fill_options(graph);
  GraphFlags settled = graph;
  settle_by_dump({candidate.candidate}, settled.model);
  verify::FillOptions fill = fill_options(settled);
  if (!settled.model.dump.empty())
    feed_by_dump(open_candidate(candidate, {}).inputs, candidate.candidate, graph.has_seed, fill);
  return fill;
}

ChosenExecutor open_chosen(const std::string& on, const CandidateFlags& candidate, const DeviceFlags& flags) {
  ChosenExecutor made{.name = on};
  DeviceFlags device = flags;
  const bool is_device = candidate.candidate.empty() ? on == "gpu" : is_vulkan(candidate, device);
  if (is_device) {
    made.name = "gpu";
    made.executor = std::make_unique<gpu_vulkan::VulkanExecutor>(vulkan_options(device));
    return made;
  }
  made.spec = candidate.candidate.empty() ? on : candidate.candidate;
  made.name = foreign::parse_spec(made.spec).name;
  CandidateFlags named = candidate;
  named.candidate = made.spec;
  made.executor = open_candidate(named, flags).executor;
  return made;
}

}  // namespace plumb::parity::cli::flags
