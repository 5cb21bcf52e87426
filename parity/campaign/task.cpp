// Names tasks by what they are, and keeps their list.
#include "parity/campaign/task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/output_file.hpp"
#include "ir/files/read_file.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::campaign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view schema = "plumb.campaign/1";
constexpr std::uint64_t most_list_bytes = std::uint64_t{1} << 30;
constexpr std::uintmax_t most_hashed_bytes = std::uintmax_t{1} << 28;

json subject_of(const Task& task) {
  return {{"kind", ir::enum_name(task.kind)}, {"path", task.path},       {"flags", task.flags},  {"files", task.files},
          {"content", task.content},          {"devices", task.devices}, {"counts", task.counts}};
}

std::string line_of(const json& made) { return made.dump(-1, ' ', false, json::error_handler_t::replace) + '\n'; }

json to_json(const Task& task) {
  json made = subject_of(task);
  made["id"] = task.id;
  made["retries"] = task.retries;
  made["timeout"] = task.timeout;
  made["cost"] = task.cost;
  return made;
}

Task task_of(const json& line) {
  const auto kind = ir::enum_value<Kind>(line.at("kind").get<std::string>());
  ir::require(kind.has_value(), "there is no kind ", line.at("kind").dump());
  Task task{.id = line.at("id"),
            .kind = *kind,
            .path = line.at("path"),
            .flags = line.at("flags"),
            .files = line.at("files"),
            .content = line.at("content"),
            .devices = line.at("devices"),
            .counts = line.at("counts"),
            .retries = line.at("retries"),
            .timeout = line.at("timeout"),
            .cost = line.at("cost")};
  // The id becomes the name of files.
  ir::require(task.id == id_of(task), "its id is not that of what it says");
  return task;
}

}  // namespace

std::string Task::text() const {
  std::string text(ir::enum_name(kind));
  if (!path.empty()) text += ' ' + path;
  for (const std::string& flag : flags) text += ' ' + flag;
  return text;
}

std::string id_of(const Task& task) { return core::sha256(line_of(subject_of(task))); }

std::string hash_of(const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& file : files) {
    std::error_code problem;
    const std::uintmax_t size = fs::file_size(file, problem);
    ir::require(!problem, file, ": cannot be read: ", problem.message());
    const std::string hash = size > most_hashed_bytes ? ir::cat("size ", size) : core::sha256_of_file(file);
    ir::require(!hash.empty(), file, ": cannot be read");
    all += hash + '\n';
  }
  return core::sha256(all);
}

fs::path list_file(const fs::path& folder) { return folder / "tasks.jsonl"; }

TaskList read_tasks(const fs::path& folder) {
  const fs::path file = list_file(folder);
  std::error_code problem;
  ir::require(fs::is_regular_file(file, problem), folder.string(),
              ": is no folder of a campaign: it has no tasks.jsonl, which `plumb campaign plan` writes");
  std::istringstream lines(ir::files::read_named_text(file, most_list_bytes));
  TaskList list;
  std::size_t number = 1;
  std::string line;
  try {
    std::getline(lines, line);
    const json first = json::parse(line);
    ir::require(first.at("schema") == schema, "wanted the schema ", schema);
    list.folder = first.at("folder").get<std::string>();
    list.plan = first.at("plan");
    while (std::getline(lines, line)) {
      ++number;
      list.tasks.push_back(task_of(json::parse(line)));
    }
  } catch (const std::exception& problem_of_line) {
    ir::fail(file.string(), ':', number, ": ", problem_of_line.what());
  }
  return list;
}

void write_tasks(const fs::path& folder, const TaskList& list) {
  std::vector<const Task*> order;
  for (const Task& task : list.tasks) order.push_back(&task);
  std::ranges::sort(
      order, [](const Task* a, const Task* b) { return a->cost != b->cost ? a->cost > b->cost : a->id < b->id; });
  std::string text = line_of({{"schema", schema}, {"folder", list.folder.string()}, {"plan", list.plan}});
  for (const Task* const task : order) text += line_of(to_json(*task));
  ir::files::write_file(list_file(folder), ir::files::FileKind::other, text);
}

}  // namespace plumb::parity::campaign
