// `plumb campaign plan` and `status`: what is to be done, and what is left of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "parity/campaign/status.hpp"
#include "parity/cli/campaigning/campaign_flags.hpp"
#include "parity/cli/campaigning/plan_tasks.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using core::terminal::counted;

constexpr std::size_t most_lines = 20;

/// Makes the folder of a campaign, or takes that of one; whether there is one. Its path, links followed.
fs::path open_folder(const std::string& name, bool& is_there) {
  std::error_code problem;
  is_there = fs::exists(campaign::list_file(name), problem);
  const bool is_empty = !fs::exists(name, problem) || (fs::is_directory(name, problem) && fs::is_empty(name, problem));
  ir::require(is_there || is_empty, name, ": is not empty, and no folder of a campaign");
  fs::create_directories(name, problem);
  ir::require(!problem, name, ": cannot be made: ", problem.message());
  return fs::canonical(name);
}

/// Throws Error unless all tasks of a folder are still planned: results of one campaign are not mixed with another's.
void require_same_campaign(const std::string& folder, const campaign::TaskList& earlier,
                           const std::vector<campaign::Task>& tasks, const std::string& file) {
  std::set<std::string> ids;
  for (const campaign::Task& task : tasks) ids.insert(task.id);
  const auto is_gone = [&](const campaign::Task& task) { return !ids.contains(task.id); };
  const auto first = std::ranges::find_if(earlier.tasks, is_gone);
  if (first == earlier.tasks.end()) return;
  ir::fail(folder, ": is the folder of another campaign: ", std::ranges::count_if(earlier.tasks, is_gone),
           " of its tasks, such as '", first->text(), "', are none of ", file,
           ", or a file of theirs has changed; a campaign that was planned may grow, and nothing else");
}

}  // namespace

int plan_campaign(const CampaignPlanFlags& flags) {
  const campaign::Plan plan = campaign::read_plan(flags.file);
  bool is_there = false;
  const fs::path folder = open_folder(flags.folder, is_there);
  const fs::path from = fs::canonical(plan.file).parent_path();
  fs::current_path(from);
  campaign::TaskList list{.folder = from.lexically_proximate(folder), .plan = plan.file.filename().string()};
  list.tasks = tasks_of(plan);
  std::size_t known = 0;
  if (is_there) {
    const campaign::TaskList earlier = campaign::read_tasks(folder);
    require_same_campaign(flags.folder, earlier, list.tasks, flags.file);
    known = earlier.tasks.size();
  }
  campaign::write_tasks(folder, list);
  show::print("{}: {}, {} new\n", flags.folder, counted(list.tasks.size(), "task"), list.tasks.size() - known);
  return static_cast<int>(core::ExitCode::passed);
}

int show_campaign(const std::string& folder) {
  const campaign::TaskList list = campaign::read_tasks(folder);
  const campaign::Status status = campaign::status_of(folder, list.tasks);
  core::terminal::TextTable table({"kind", "tasks", "done", "failed", "running", "waiting"}, 1);
  for (const auto& [kind, count] : status.kinds) {
    const std::size_t waiting = count.tasks - count.done - count.failed - count.running;
    table.row({std::string(ir::enum_name(kind)), fmt::format("{}", count.tasks), fmt::format("{}", count.done),
               fmt::format("{}", count.failed), fmt::format("{}", count.running), fmt::format("{}", waiting)});
  }
  show::print_lines(table.text());
  std::size_t shown = 0;
  for (const campaign::RunningTask& one : status.running)
    if (shown++ < most_lines) show::print("running: {} ({})\n", one.task->text(), one.worker);
  shown = 0;
  for (const campaign::Task* const task : status.failed)
    if (shown++ < most_lines) show::print("failed: {}\n", task->text());
  if (status.failures != 0)
    show::print("{} failed, by a device or a process; the task was, or is, tried again\n",
                counted(status.failures, "attempt"));
  for (const std::string& device : status.retired) show::print("retired: {}\n", device);
  if (status.over() == status.tasks())
    show::print("all is done\n");
  else if (status.seconds_left)
    show::print("expected end: in {:.0f} s, by {}\n", *status.seconds_left,
                counted(std::max<std::size_t>(1, status.running.size()), "worker"));
  else
    show::print("expected end: not known yet\n");
  return static_cast<int>(core::ExitCode::passed);
}

}  // namespace plumb::parity::cli
