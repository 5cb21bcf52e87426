// Checks that compute: the reference, the device, results files, and what a policy lets pass.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "library/describe.hpp"
#include "library/open_candidate.hpp"
#include "library/reference.hpp"
#include "parity/cli/selfchecking/embedded_cases.hpp"
#include "parity/cli/selfchecking/selfcheck_run.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/merge/digest.hpp"
#include "parity/results/merge/merge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/studies/selfcheck/gate_graphs.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using studies::selfcheck::failed;
using studies::selfcheck::Found;
using studies::selfcheck::Held;
using studies::selfcheck::ok;
using studies::selfcheck::skipped;

/// "softmax in f16: failed: ..., and 3 more".
std::string first_of(const std::vector<std::string>& all) {
  return all.size() == 1 ? all.front() : fmt::format("{}; and {} more", all.front(), all.size() - 1);
}

std::string held_text(const Held& held) {
  std::string text = fmt::format("{} of {} passed", held.passed, core::terminal::counted(held.all, "case"));
  if (held.unverified != 0) text += fmt::format(", {} not verified", held.unverified);
  if (held.left != 0) text += fmt::format(", no time for {} more", held.left);
  return text;
}

/// Records the gate's graph by one seed.
void record_gate(const fs::path& path, std::uint64_t seed, const cases::Executors& executors) {
  results::Recorder recorder(path, {.argv = show::command_line(), .environment = library::describe_host(0)});
  const studies::selfcheck::SmallCase& gate = studies::selfcheck::graph_to_pass();
  verify::FillOptions fill = studies::selfcheck::fill_of(gate);
  fill.seed = seed;
  recorder.record(verify::verify_file(std::string(gate.name), fill, executors, {}, recorder));
  recorder.finish();
}

}  // namespace

Found SelfcheckRun::oracles() {
  constexpr std::chrono::seconds quick_time(1);
  studies::selfcheck::Effort effort;
  if (flags_.quick) effort.time = quick_time;
  const Held held = studies::selfcheck::hold(embedded_cases(), host(), effort);
  const std::string text = fmt::format("{}, {} elements by the definitions of the ops", held_text(held), held.elements);
  if (held.wrong.empty() && held.passed > 0 && held.elements > 0) return ok(text);
  return failed(text + (held.wrong.empty() ? "" : ": " + first_of(held.wrong)),
                "this build computes no truth on this processor: PLUMB_CPU_LEVEL chooses other kernels; report it");
}

Found SelfcheckRun::threads() const {
  constexpr std::size_t quick_cases = 12;
  ref_cpu::CpuExecutor one = library::reference_executor(1), two = library::reference_executor(2),
                       seven = library::reference_executor(7);
  const std::array<ir::Executor*, 3> executors = {&one, &two, &seven};
  const auto all = embedded_cases();
  const auto cases = all.first(flags_.quick ? std::min(quick_cases, all.size()) : all.size());
  const std::vector<std::string> differing = studies::selfcheck::differing(cases, executors);
  if (differing.empty())
    return ok(
        fmt::format("{} have the same bits on 1, 2 and 7 threads", core::terminal::counted(cases.size(), "case")));
  return failed("other bits on 1, 2 or 7 threads: " + first_of(differing), "use --threads 1, and report it");
}

Found SelfcheckRun::ops() {
  if (!device_) return skipped(why_no_device_);
  constexpr std::chrono::milliseconds quick_time(1000), usual_time(25'000);
  studies::selfcheck::Effort effort{.repeat = 2, .plain = true};
  if (!flags_.full) effort.time = flags_.quick ? quick_time : usual_time;
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16})
    if (device_->facts().holds(dtype)) effort.dtypes.emplace_back(dtype);
  const Held held = studies::selfcheck::hold(embedded_cases(), library::executors_of(reference_, *device_), effort);
  if (held.wrong.empty() && held.passed > 0) return ok(held_text(held) + ", twice and by the plain run");
  return failed(held_text(held) + (held.wrong.empty() ? "" : ": " + first_of(held.wrong)),
                "update the driver; `plumb reduce` makes a small graph of one that fails");
}

/// Two records, merged in either order, have what was recorded.
Found SelfcheckRun::files() {
  constexpr std::uint64_t no_room_in_memory = std::uint64_t{1} << 62;  // so that the folder is in the temp folder
  auto scratch = std::make_unique<foreign::Scratch>(no_room_in_memory, fs::path{});
  const fs::path folder = scratch->path();
  show::write_graph_text(folder / "gate.json", studies::selfcheck::graph_to_pass().text);
  show::write_graph_text(folder / "empty.json", studies::selfcheck::graph_of_nothing().text);
  scratch_ = std::move(scratch);
  const std::array<fs::path, 2> parts = {folder / "first.h5", folder / "second.h5"}, turned = {parts[1], parts[0]};
  for (std::size_t k = 0; k < parts.size(); ++k) record_gate(parts[k], k + 1, host());
  const results::Merged merged = results::merge(parts, folder / "merged.h5", {.argv = show::command_line()});
  results::merge(turned, folder / "turned.h5", {.argv = show::command_line()});
  const auto runs = results::judge_results(folder / "merged.h5", nullptr, policy::today());
  const auto digest = [&](const char* name) { return results::digest_of_file(folder / name, results::DigestOf::runs); };
  const bool are_judged_alike = runs.size() == parts.size() && std::ranges::all_of(runs, [](const auto& run) {
                                  return run.was == core::Verdict::passed && run.verdict == run.was;
                                });
  if (merged.runs == parts.size() && merged.missing.empty() && are_judged_alike &&
      digest("merged.h5") == digest("turned.h5"))
    return ok("results are written, read, merged and judged in " + folder.parent_path().string());
  return failed(fmt::format("of {} runs {} were read, merged to {}", parts.size(), runs.size(), merged.runs),
                "this build reads not what it writes: report it");
}

Found SelfcheckRun::policy() {
  if (!gate_) return skipped("no --policy is named");
  const std::vector<std::string> findings = policy::lint(gate_->policy, gate_->today);
  const Found found = studies::selfcheck::policy_can_fail(host(), *gate_);
  if (found.status != studies::selfcheck::Status::ok || findings.empty()) return found;
  return failed(first_of(findings), "`plumb policy lint " + flags_.policy + "` lists all; docs/policy.md");
}

void SelfcheckRun::check_executors() {
  checklist_.run(Area::reference, "oracles", [&] { return oracles(); });
  checklist_.run(Area::reference, "threads", [&] { return threads(); });
  checklist_.run(
      Area::device, "ops", [&] { return ops(); }, "the device or its driver failed: update it, or name another");
}

void SelfcheckRun::check_files() {
  checklist_.run(
      Area::files, "files", [&] { return files(); }, "name a folder with room that can be written in TMPDIR");
}

void SelfcheckRun::check_policy() {
  checklist_.run(Area::policy, "policy", [&] { return policy(); });
}

}  // namespace plumb::parity::cli
