#include "parity/cli/planting/plan_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/raw/glob.hpp"

namespace plumb::parity::cli {
namespace {

using gpu_vulkan::plan::Plan;

/// The dispatch in the middle of those that `fits`; nothing where none does.
template <class Fits>
gpu_vulkan::plan::Dispatch* middle_dispatch(Plan& plan, Fits fits) {
  std::vector<gpu_vulkan::plan::Dispatch*> found;
  for (gpu_vulkan::plan::Dispatch& dispatch : plan.schedule.dispatches)
    if (fits(dispatch)) found.push_back(&dispatch);
  return found.empty() ? nullptr : found[found.size() / 2];
}

bool no_barriers(Plan& plan) {
  const bool had_any = std::ranges::count(plan.barrier_before, true) > 0;
  plan.barrier_before.assign(plan.barrier_before.size(), false);
  return had_any;
}

bool skip_dispatch(Plan& plan) {
  auto* const dispatch = middle_dispatch(plan, [](const auto&) { return true; });
  if (dispatch == nullptr) return false;
  dispatch->groups = {0, 0, 0};
  return true;
}

bool shorten_dispatch(Plan& plan) {
  auto* const dispatch = middle_dispatch(plan, [](const auto& one) { return std::ranges::max(one.groups) > 1; });
  if (dispatch == nullptr) return false;
  --*std::ranges::max_element(dispatch->groups);
  return true;
}

bool skip_upload(Plan& plan) {
  if (plan.segments.empty() || plan.segments.front().uploads.empty()) return false;
  plan.segments.front().uploads.erase(plan.segments.front().uploads.begin());
  return true;
}

/// A dispatch that writes over what it reads.
bool alias_slots(Plan& plan) {
  const auto& slots = plan.schedule.slots;
  const auto fits = [&](const gpu_vulkan::plan::Dispatch& one) {
    if (one.reads.empty() || one.writes.empty()) return false;
    const auto &from = slots[one.reads.front()], &to = slots[one.writes.front()];
    const bool are_transient =
        from.residence == gpu_vulkan::plan::Residence::transient && to.residence == from.residence;
    return are_transient && from.bytes >= to.bytes && one.shader.elementwise != gpu_vulkan::plan::Elementwise::unary;
  };
  auto* const dispatch = middle_dispatch(plan, fits);
  if (dispatch == nullptr) return false;
  plan.arena.places[dispatch->writes.front()] = plan.arena.places[dispatch->reads.front()];
  return true;
}

/// Another function in place of the one that an elementwise shader computes.
bool wrong_function(Plan& plan) {
  auto* const dispatch = middle_dispatch(plan, [](const gpu_vulkan::plan::Dispatch& one) {
    return one.shader.elementwise != gpu_vulkan::plan::Elementwise::none;
  });
  if (dispatch == nullptr) return false;
  gpu_vulkan::plan::Constants& constants = dispatch->shader.constants;
  constants.set("function", constants["function"] ^ 1);
  return true;
}

/// Faults of the whole plan: of every run of the graph, or of those alone that are not watched.
struct OfPlan {
  power::faults::Fault fault, in_plain_plan;
  bool (*breaks)(Plan& plan);  ///< false where there is nothing to break
};

constexpr OfPlan faults_of_plan[] = {
    {{"plan:no_barriers", "no dispatch waits for another", "any plan", true, nullptr},
     {"plain:no_barriers", "no dispatch waits for another, where nobody watches", "any plan", true, nullptr},
     no_barriers},
    {{"plan:skipped_dispatch", "one dispatch does nothing", "any plan", true, nullptr},
     {"plain:skipped_dispatch", "one dispatch does nothing, where nobody watches", "any plan", true, nullptr},
     skip_dispatch},
    {{"plan:short_dispatch", "one dispatch is a workgroup short", "any plan", true, nullptr},
     {"plain:short_dispatch", "one dispatch is a workgroup short, where nobody watches", "any plan", true, nullptr},
     shorten_dispatch},
    {{"plan:skipped_upload", "an input is not uploaded", "plans with inputs", true, nullptr},
     {"plain:skipped_upload", "an input is not uploaded, where nobody watches", "plans with inputs", true, nullptr},
     skip_upload},
    {{"plan:aliased_slots", "a dispatch writes where it reads", "any plan", true, nullptr},
     {"plain:aliased_slots", "a dispatch writes where it reads, where nobody watches", "any plan", true, nullptr},
     alias_slots},
    {{"plan:wrong_function", "a specialization constant names another function", "unary and binary kernels", true,
      nullptr},
     {"plain:wrong_function", "a specialization constant names another function, where nobody watches",
      "unary and binary kernels", true, nullptr},
     wrong_function},
};

struct Planted {
  PlanFault what;
  bool is_in_plain_plan = false;  ///< the plan of the watched run, which is made first, is right
};

std::vector<Planted> all_plan_faults() {
  std::vector<Planted> all;
  for (const OfPlan& one : faults_of_plan) {
    all.push_back({{one.fault, one.breaks}});
    all.push_back({{one.in_plain_plan, one.breaks}, true});
  }
  for (PlanFault& one : shader_faults()) all.push_back({std::move(one)});
  return all;
}

using Hashes = std::map<std::string, std::optional<std::uint64_t>>;

Hashes hashes_of(const cases::CaseResult& result) {
  Hashes hashes;
  for (const cases::NodeResult& node : result.nodes) hashes[node.name()] = node.hash;
  return hashes;
}

/// Whether a node failed in the run whose every value was kept.
bool is_watched_run_refused(const cases::CaseResult& result) {
  return std::ranges::any_of(result.nodes, [](const cases::NodeResult& node) {
    return !node.is_of_plain_run && node.verdict == core::Verdict::failed;
  });
}

/// The broken run beside the clean one.
power::Trial trial_of(const power::faults::Fault& fault, const cases::CaseResult& result, const Hashes& clean) {
  power::Trial trial{.fault = &fault};
  const bool is_refused = !result.message.empty();
  const bool is_plain_equal = result.plain.plain == cases::Plain::equal || result.plain.plain == cases::Plain::not_run;
  if (!is_refused && is_plain_equal && hashes_of(result) == clean) return trial;
  // A plan that is inconsistent in itself is an error before anything runs.
  const bool is_noticed = is_refused || result.verdict == core::Verdict::failed ||
                          result.verdict == core::Verdict::nondeterministic || result.verdict == core::Verdict::error;
  trial.outcome = is_noticed ? power::Outcome::caught : power::Outcome::missed;
  trial.caught_by = !is_noticed                      ? power::CaughtBy::nothing
                    : is_refused                     ? power::CaughtBy::refusal
                    : is_watched_run_refused(result) ? power::CaughtBy::limit
                                                     : power::CaughtBy::plain_run;
  trial.effect = std::numeric_limits<double>::infinity();  // the device gave other bits than it does of itself
  trial.size.ratio = 0;
  for (const cases::NodeResult& node : result.nodes) trial.size.ratio = std::fmax(trial.size.ratio, node.local.ratio());
  return trial;
}

/// Memory that is given back holds what the last run left: let that be of other inputs, or what is not written would
/// be right.
void leave_other_numbers(ir::Executor& device, const cases::Case& subject) {
  const ir::Feeds earlier = power::earlier_feeds(subject);
  const ir::Graph& graph = subject.file->graph;
  if (!earlier.empty()) device.compile(graph, earlier, {graph.results(), true})->run(earlier);
}

}  // namespace

std::vector<std::string> plan_fault_names() {
  std::vector<std::string> names;
  for (const Planted& one : all_plan_faults()) names.emplace_back(one.what.fault.name);
  return names;
}

std::string plan_fault_list() {
  std::string text;
  for (const Planted& one : all_plan_faults())
    text += fmt::format("{:<26} {} ({})\n", one.what.fault.name, one.what.fault.summary, one.what.fault.where);
  return text;
}

power::NodePower break_plans(const cases::Case& subject, const cases::Executors& executors,
                             gpu_vulkan::device::VulkanOptions options, const power::Options& chosen) {
  static const std::vector<Planted> library = all_plan_faults();  // trials point into it
  const Planted* current = nullptr;
  bool broke = false;
  std::size_t made = 0;
  std::vector<Plan> clean_plans;  // that of the watched run, then that of the plain one
  options.on_plan = [&](Plan& plan) {
    const bool is_watched = made++ == 0;
    if (current == nullptr && clean_plans.size() < 2) clean_plans.push_back(plan);
    if (current == nullptr || (current->is_in_plain_plan && is_watched)) return;
    broke = current->what.breaks(plan) || broke;
  };
  const auto applies = [&](const Planted& one) {
    const std::size_t of = one.is_in_plain_plan ? 1 : 0;
    if (of >= clean_plans.size()) return false;
    Plan plan = clean_plans[of];
    return one.what.breaks(plan);
  };
  gpu_vulkan::VulkanExecutor device(std::move(options));
  cases::Executors broken = executors;
  broken.candidate = &device;
  cases::Observer nobody;
  const verify::VerifyOptions judged{.filter = chosen.filter, .gate = chosen.gate};
  const Hashes clean = hashes_of(verify::verify(subject, broken, judged, nobody));
  power::NodePower whole{.name = "(the plan)", .op = "plan", .type = {}, .verdict = core::Verdict::passed};
  for (const Planted& one : library) {
    const power::faults::Fault& fault = one.what.fault;
    if (!ir::raw::glob_matches(chosen.faults, fault.name) || !applies(one)) continue;
    leave_other_numbers(device, subject);
    current = &one;
    broke = false;
    made = 0;
    const cases::CaseResult result = verify::verify(subject, broken, judged, nobody);
    current = nullptr;
    if (!broke) continue;
    whole.trials.push_back(trial_of(fault, result, clean));
    if (result.message.empty()) continue;
    // The run itself refused: an index of garbage, a message of the layers.
    const std::string_view said = std::string_view(result.message).substr(0, result.message.find('\n'));
    whole.why += ir::cat(whole.why.empty() ? "" : "\n", fault.name, ": ", said.substr(0, 100));
  }
  return whole;
}

}  // namespace plumb::parity::cli
