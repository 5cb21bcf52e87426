// Starts the command of a task, and tells its verdicts from a device, or a process, that failed.
#include "parity/cli/campaigning/task_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/output_file.hpp"
#include "ir/files/process.hpp"
#include "ir/files/read_file.hpp"
#include "library/own_files.hpp"
#include "parity/cli/campaigning/devices_here.hpp"
#include "parity/core/verdict.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using campaign::Attempt;
using campaign::Kind;
using campaign::Task;

constexpr std::size_t most_output = 1 << 16;
constexpr std::uint64_t most_report_bytes = std::uint64_t{1} << 30;
constexpr auto patience = std::chrono::seconds(30);  // since verify ends a case that is late by itself

/// The files that the process of a task writes.
struct Made {
  fs::path results, counts, report, corpus;
};

std::vector<std::string> words_of(const Task& task, const Made& made, const TaskPlace& place) {
  std::vector<std::string> words = {library::own_program("plumb"), std::string(ir::enum_name(task.kind))};
  if (!task.path.empty()) words.push_back(task.path);
  words.insert(words.end(), task.flags.begin(), task.flags.end());
  if (!place.device.empty() && !task.devices.empty()) words.push_back("--device=" + place.device);
  if (place.threads != 0) words.push_back(fmt::format("--threads={}", place.threads));
  if (task.kind == Kind::verify) {
    // A crash costs the run at which it happens, and is recorded.
    words.insert(words.end(), {"--jobs=1", fmt::format("--case-timeout={}s", task.timeout), "--quiet",
                               "--output=" + made.results.string()});
    if (task.counts) words.push_back("--counts=" + made.counts.string());
  } else if (task.kind == Kind::fuzz) {
    words.push_back("--corpus=" + made.corpus.string());
  } else {
    words.push_back("--json=" + made.report.string());
  }
  return words;
}

/// Writes what came of a command other than verify.
void write_record(const Task& task, const Made& made, const ir::files::ProcessEnd& end, const fs::path& file) {
  nlohmann::ordered_json record = {{"schema", "plumb.task/1"},
                                   {"id", task.id},
                                   {"kind", ir::enum_name(task.kind)},
                                   {"task", task.text()},
                                   {"exit", end.status},
                                   {"report", nullptr},
                                   {"output", ir::files::last_lines(end.output, 200)}};
  if (std::error_code none; fs::exists(made.report, none))
    record["report"] = nlohmann::ordered_json::parse(ir::files::read_text(made.report, most_report_bytes));
  ir::files::write_file(file, ir::files::FileKind::json,
                        record.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

/// Whether somebody ended the process who means to end all of it.
bool was_told_to_end(const ir::files::ProcessEnd& end) {
  constexpr std::array signals = {std::pair("SIGTERM", SIGTERM), std::pair("SIGINT", SIGINT),
                                  std::pair("SIGHUP", SIGHUP)};
  return std::ranges::any_of(
      signals, [&](const auto& one) { return end.signal == one.first || end.status == 128 + one.second; });
}

std::string how_it_failed(const ir::files::ProcessEnd& end, const Task& task) {
  if (end.is_late) return fmt::format("took longer than {} s", task.timeout);
  if (!end.signal.empty()) return "its process crashed, " + end.signal;
  if (end.status == static_cast<int>(core::ExitCode::device_error)) return "its device failed, or its process crashed";
  if (end.status == static_cast<int>(core::ExitCode::nothing_ran)) return "its device is gone";
  return fmt::format("ended with exit code {}, without results", end.status);
}

/// Nothing of a task ran, which is what a device that went away looks like, too.
bool is_device_gone(const ir::files::ProcessEnd& end, const Task& task, const TaskPlace& place) {
  return end.status == static_cast<int>(core::ExitCode::nothing_ran) && place.counts_on_device &&
         !task.devices.empty() && devices_here().empty();
}

}  // namespace

Attempt run_task(const Task& task, const campaign::Queue& queue, const TaskPlace& place,
                 const std::function<bool()>& is_to_end) {
  ir::require(campaign::hash_of(task.files) == task.content, task.text(),
              ": a file of it has changed since the campaign was planned");
  const Made made{.results = queue.making(task, ".h5"),
                  .counts = queue.making(task, ".counts.json"),
                  .report = queue.making(task, ".report.json"),
                  .corpus = queue.making(task, ".corpus")};
  const bool is_verify = task.kind == Kind::verify;
  const auto time = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(1e3 * task.timeout, 1e9)));
  const ir::files::ProcessEnd end = ir::files::run_process(
      words_of(task, made, place),
      {.time = is_verify ? time + patience : time, .output_bytes = most_output, .is_to_end = is_to_end});
  Attempt attempt{.exit = end.status, .output = ir::files::last_lines(end.output)};
  // One that is late was told to end by us.
  if (end.is_late ? is_to_end() : was_told_to_end(end)) return attempt;
  std::error_code none;
  const bool is_full = end.status == static_cast<int>(core::ExitCode::tool_error) &&
                       end.output.find(std::strerror(ENOSPC)) != end.output.npos;
  ir::require(!is_full, task.text(), ": ", std::strerror(ENOSPC));
  const fs::path file = is_verify ? made.results : queue.making(task, ".json");
  const bool has_ended = end.signal.empty() && !end.is_late;
  if (has_ended && !is_verify) write_record(task, made, end, file);
  if (fs::exists(file, none)) attempt.made = file;
  const bool is_fault =
      !has_ended || end.status == static_cast<int>(core::ExitCode::device_error) || is_device_gone(end, task, place);
  if (is_fault || attempt.made.empty()) {
    attempt.end = Attempt::End::failed;
    attempt.how = how_it_failed(end, task);
    return attempt;
  }
  attempt.end = Attempt::End::done;
  if (fs::exists(made.counts, none)) attempt.beside.emplace_back(".counts.json");
  // A graph that fails is worth more than the line that says so.
  if (task.kind == Kind::fuzz && end.status == static_cast<int>(core::ExitCode::failed))
    fs::rename(made.corpus, queue.beside_done(task, ".corpus"), none);
  return attempt;
}

}  // namespace plumb::parity::cli
