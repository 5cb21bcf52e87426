// Counts files of a campaign's folder.
#include "parity/campaign/status.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "parity/campaign/worker.hpp"

namespace plumb::parity::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_note_bytes = 1 << 16;

/// The rates of all that workers have done.
Rates rates_of(const fs::path& folder) {
  Rates rates;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder / "workers", none)) {
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      // The last line of a worker that was killed may be cut off.
      const auto said = nlohmann::json::parse(line, nullptr, false);
      if (!said.is_object() || !said.value("is_done", false)) continue;
      if (const auto kind = ir::enum_value<Kind>(said.value("kind", "")))
        rates.add(*kind, said.value("cost", 0.0), said.value("seconds", 0.0));
    }
  }
  return rates;
}

std::string text_of(const fs::path& file) try {
  return ir::files::read_text(file, most_note_bytes);
} catch (const ir::Error&) {
  return "";
}

}  // namespace

std::size_t Status::tasks() const {
  std::size_t all = 0;
  for (const auto& [kind, count] : kinds) all += count.tasks;
  return all;
}

std::size_t Status::over() const {
  std::size_t all = 0;
  for (const auto& [kind, count] : kinds) all += count.done + count.failed;
  return all;
}

Status status_of(const fs::path& folder, const std::vector<Task>& tasks) {
  const Queue queue(folder, "", {});
  const Rates rates = rates_of(folder);
  Status status;
  double left = 0;
  bool is_known = true;
  std::error_code none;
  for (const Task& task : tasks) {
    KindCount& count = status.kinds[task.kind];
    ++count.tasks;
    const std::size_t failures = queue.failures(task).size();
    if (fs::exists(queue.done(task), none)) {
      ++count.done;
      status.failures += failures;
      continue;
    }
    if (failures > task.retries) {
      ++count.failed;
      status.failed.push_back(&task);
      continue;
    }
    status.failures += failures;
    if (const std::string claim = text_of(folder / "claims" / task.id); !claim.empty()) {
      ++count.running;
      status.running.push_back({.task = &task, .worker = worker_of_claim(claim)});
    }
    const auto seconds = rates.seconds_of(task);
    left += seconds.value_or(0);
    is_known &= seconds.has_value();
  }
  if (is_known) status.seconds_left = left / static_cast<double>(std::max<std::size_t>(1, status.running.size()));
  for (const auto& entry : fs::directory_iterator(folder / "devices", none)) {
    std::string why = text_of(entry.path());
    while (why.ends_with('\n')) why.pop_back();
    status.retired.push_back(entry.path().stem().string() + ": " + why);
  }
  std::ranges::sort(status.retired);
  return status;
}

}  // namespace plumb::parity::campaign
