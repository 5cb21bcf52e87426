// `plumb campaign run`: a worker, with a device where tasks need one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "ir/error.hpp"
#include "ir/files/interruption.hpp"
#include "parity/campaign/rank.hpp"
#include "parity/cli/campaigning/campaign_flags.hpp"
#include "parity/cli/campaigning/devices_here.hpp"
#include "parity/cli/campaigning/task_run.hpp"
#include "parity/core/duration.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/core/verdict.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using core::terminal::counted;

void say(const std::string& line) { std::cerr << core::terminal::printable(line) << '\n'; }

/// The device of this worker, and how its tasks are told of it.
struct Taken {
  std::optional<HostDevice> device = {};
  std::string flag = {};  ///< "" where there is no other device
  std::string why_not = {};
};

/// Devices of this host on which any of these tasks may run.
std::vector<HostDevice> wanted_devices(const std::vector<HostDevice>& all, const std::vector<campaign::Task>& tasks,
                                       const std::string& named) {
  std::vector<HostDevice> wanted = named.empty() ? all : named_devices(all, named);
  std::erase_if(wanted, [&](const HostDevice& device) {
    return std::ranges::none_of(tasks, [&](const campaign::Task& task) { return takes_device(task, device); });
  });
  return wanted;
}

Taken take_device(const CampaignRunFlags& flags, const std::vector<campaign::Task>& tasks) {
  const std::vector<HostDevice> all = devices_here();
  const std::vector<HostDevice> wanted = wanted_devices(all, tasks, flags.device);
  std::string names;
  for (const HostDevice& one : all) names += (names.empty() ? "" : ", ") + one.name;
  if (wanted.empty())
    return {.why_not = fmt::format("no device here is for this campaign, which names its devices ([devices] use, and "
                                   "software devices only where they are named); there {}",
                                   names.empty() ? "is none" : "are: " + names)};
  const auto rank = campaign::local_rank();
  const std::size_t number = rank ? rank->number : 0;
  if (number >= wanted.size() && !flags.share_device)
    return {.why_not = fmt::format("{}={}, and there {} {} for this campaign: --share-device lets ranks share them",
                                   rank->variable, number, wanted.size() == 1 ? "is" : "are",
                                   counted(wanted.size(), "device"))};
  Taken taken{.device = wanted[number % wanted.size()]};
  const auto is_called_so = [&](const HostDevice& one) { return one.uuid == taken.device->uuid; };
  const bool has_uuid = std::ranges::count_if(all, is_called_so) == 1;
  // One that is alone is not named, as nobody would who repeats the run.
  if (all.size() > 1) taken.flag = has_uuid ? taken.device->uuid : fmt::format("{}", taken.device->index);
  return taken;
}

void say_end(const campaign::Worked& worked) {
  std::string text = fmt::format("{} done", counted(worked.done, "task"));
  if (worked.failed != 0) text += fmt::format(", {} failed", worked.failed);
  if (worked.late != 0) text += fmt::format(", {} that others did", worked.late);
  switch (worked.end) {
    case campaign::Worked::End::all_over:
      say(text + "; nothing is left");
      return;
    case campaign::Worked::End::stopped:
      say(text + "; told to stop, and others may go on");
      return;
    case campaign::Worked::End::retired:
      say(text + "; the device is retired");
      return;
    case campaign::Worked::End::not_for_us:
      say(text + "; what is left is for other devices");
      return;
  }
}

}  // namespace

int run_campaign(const CampaignRunFlags& flags) {
  const auto begin = std::chrono::steady_clock::now();
  const ir::files::StopRequest stop;
  const auto lost_after = core::duration_of("--lost-after", flags.lost_after);
  const campaign::TaskList list = campaign::read_tasks(flags.folder);
  const fs::path folder = fs::canonical(flags.folder);
  std::error_code problem;
  fs::current_path(folder / list.folder, problem);
  ir::require(!problem, flags.folder, ": the folder of its plan, ", (folder / list.folder).lexically_normal().string(),
              ", cannot be entered: ", problem.message());
  campaign::WorkerOptions options;
  if (!flags.until.empty()) options.until = begin + core::duration_of("--until", flags.until);
  const auto needs_device = [](const campaign::Task& task) { return !task.devices.empty(); };
  Taken taken;
  if (std::ranges::any_of(list.tasks, needs_device)) taken = take_device(flags, list.tasks);
  if (!taken.why_not.empty()) {
    say(taken.why_not);
    // Whoever starts many ends all of them where one does not end well.
    if (std::ranges::all_of(list.tasks, needs_device))
      return static_cast<int>(campaign::local_rank() ? core::ExitCode::passed : core::ExitCode::nothing_ran);
  }
  campaign::Queue queue(folder, campaign::new_worker(), lost_after);
  queue.make_folders();
  const TaskPlace place{.device = taken.flag, .threads = flags.threads, .counts_on_device = taken.device.has_value()};
  if (taken.device) options.device = taken.device->folder_name();
  options.takes = [&](const campaign::Task& task) {
    return !needs_device(task) || (taken.device && takes_device(task, *taken.device));
  };
  options.is_stopped = [&] { return stop.is_made(); };
  options.poll = std::min<std::chrono::milliseconds>(options.poll, lost_after / 6);
  options.run = [&](const campaign::Task& task, const std::function<bool()>& is_to_end) {
    return run_task(task, queue, place, is_to_end);
  };
  if (!flags.quiet) options.say = say;
  say_end(campaign::work(queue, options));
  return static_cast<int>(core::ExitCode::passed);
}

}  // namespace plumb::parity::cli
