// The order of the checks, and the gate's own: what must be refused is planted in runs of the program.
#include "parity/cli/selfchecking/selfcheck_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/files/output_file.hpp"
#include "ir/files/process.hpp"
#include "library/open_candidate.hpp"
#include "library/own_files.hpp"
#include "library/reference.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/studies/selfcheck/gate_graphs.hpp"

namespace plumb::parity::cli {
namespace {

using core::ExitCode;
using studies::selfcheck::Found;

constexpr const char* needs_folder = "it needs a folder for files, which the check `files` did not get";

/// Each has to be a fault that there is, at a node of the graph that it is planted in.
void require_plants(const std::vector<std::string>& plants) {
  if (plants.empty()) return;
  const cases::Case subject = studies::selfcheck::filled(studies::selfcheck::graph_to_pass());
  for (const std::string& text : plants) {
    const Plant plant = parse_plant(text);
    ir::require(std::ranges::any_of(subject.file->graph.nodes(), [&](const auto& node) { return plant.is_at(node); }),
                plant.nowhere());
  }
}

int exit_code_of(const studies::selfcheck::Trial& trial) {
  std::vector<std::string> words;
  if (!trial.has_driver) words = {"env", "VK_DRIVER_FILES=/dev/null", "VK_ICD_FILENAMES=/dev/null"};
  words.push_back(library::own_program("plumb"));
  words.insert(words.end(), trial.words.begin(), trial.words.end());
  const ir::files::ProcessEnd end = ir::files::run_process(words, {.time = std::chrono::minutes(2)});
  return end.signal.empty() && !end.is_late ? end.status : -1;
}

}  // namespace

SelfcheckRun::SelfcheckRun(const SelfcheckFlags& flags, std::function<void(const studies::selfcheck::Check&)> tell)
    : flags_(flags),
      options_(flags::vulkan_options(flags.device)),
      checklist_(std::move(tell)),
      reference_(library::reference_executor(flags.device.threads)) {
  ir::require(!flags.quick || !flags.full, "--quick and --full exclude each other");
  if (!flags.policy.empty())
    gate_ = policy::Gate{.policy = policy::read(flags.policy), .today = flags::day_of(flags.today)};
  require_plants(flags.plants);
}

cases::Executors SelfcheckRun::host() {
  return {.reference = reference_, .candidate = &reference_, .candidate_is_host = true};
}

void SelfcheckRun::skip(Area area, std::string name, const std::string& why) {
  checklist_.run(area, std::move(name), [&] { return studies::selfcheck::skipped(why); });
}

SelfcheckRun::Trial SelfcheckRun::trial(std::string what, const std::string& words, ExitCode wanted) const {
  Trial made{.what = std::move(what), .words = {"verify", scratch_->path() / "gate.json"}, .wanted = wanted};
  for (std::string& word : ir::files::split_words(words)) made.words.push_back(std::move(word));
  return made;
}

Found SelfcheckRun::ends(const std::vector<Trial>& trials) const {
  return studies::selfcheck::end_as_wanted(trials, exit_code_of);
}

void SelfcheckRun::run_trials(std::string name, const std::function<std::vector<Trial>()>& trials) {
  if (!scratch_) return skip(Area::honesty, std::move(name), needs_folder);
  checklist_.run(Area::honesty, std::move(name), [&] { return ends(trials()); });
}

/// One element is off by a little more, and by much less, than is refused.
Found SelfcheckRun::limit() {
  const double share = studies::selfcheck::refused_share(host());
  const auto planted = [&](double times) {
    return fmt::format("--candidate cpu --plant {}={:.17g}@{}", studies::selfcheck::fault_of_one_element, share * times,
                       studies::selfcheck::result_label);
  };
  return ends({trial("just above a limit", planted(1.1), ExitCode::failed),
               trial("well below it", planted(0.25), ExitCode::passed)});
}

void SelfcheckRun::check_honesty() {
  run_trials("clean", [&] {
    std::string planted;
    for (const std::string& text : flags_.plants) planted += " --plant " + core::terminal::shell_word(text);
    std::vector<Trial> trials = {trial("right on the host", "--candidate cpu" + planted, ExitCode::passed)};
    if (device_)
      trials.push_back(trial("right on the device", flags::repeated(device_->options()) + planted, ExitCode::passed));
    return trials;
  });
  checklist_.run(Area::honesty, "faults", [&] { return studies::selfcheck::faults_are_seen(host()); });
  if (scratch_)
    checklist_.run(Area::honesty, "limit", [&] { return limit(); });
  else
    skip(Area::honesty, "limit", needs_folder);
  run_trials("numbers", [&] {
    return std::vector{trial("a wrong sum", "--candidate cpu --plant softmax_extent@weights", ExitCode::failed),
                       trial("a NaN", "--candidate cpu --plant nan@weights", ExitCode::failed)};
  });
  run_trials("lost-device", [&] {
    return std::vector{trial("a lost device", "--candidate cpu --plant lost@weights", ExitCode::device_error)};
  });
  run_trials("filter", [&] {
    return std::vector{trial("a filter for no node", "--candidate cpu --filter nothing", ExitCode::tool_error),
                       trial("nothing left to judge", "--candidate cpu --skip .", ExitCode::nothing_ran)};
  });
  run_trials("empty-graph", [&] {
    Trial empty = trial("a graph without nodes", "--candidate cpu", ExitCode::nothing_ran);
    empty.words[1] = scratch_->path() / "empty.json";
    return std::vector{std::move(empty)};
  });
  run_trials("no-driver", [&] {
    std::vector trials = {trial("no driver", "", ExitCode::nothing_ran),
                          trial("no driver where one is required", "--require-verified", ExitCode::mistrusted)};
    for (Trial& one : trials) one.has_driver = false;
    return trials;
  });
  checklist_.run(Area::honesty, "host", [&] { return studies::selfcheck::host_is_no_device(reference_); });
  check_device_honesty();
}

/// Faults in what the device gives have to be refused as those of the host are.
void SelfcheckRun::check_device_honesty() {
  if (!device_) return skip(Area::honesty, "device-faults", "there is no device");
  run_trials("device-faults", [&] {
    const std::string device = flags::repeated(device_->options());
    return std::vector{
        trial("a wrong sum of the device", device + " --plant softmax_extent@weights", ExitCode::failed),
        trial("bits of the device that change", device + " --plant flicker=0.5@weights --repeat 12", ExitCode::failed)};
  });
}

void SelfcheckRun::run() {
  check_host();
  check_driver();
  check_caches();
  check_executors();
  check_files();
  check_policy();
  check_honesty();
}

}  // namespace plumb::parity::cli
