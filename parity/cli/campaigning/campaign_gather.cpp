// `plumb campaign gather`: what workers have done, as one results file, its reports, and one exit code.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/process.hpp"
#include "ir/files/read_file.hpp"
#include "parity/campaign/queue.hpp"
#include "parity/cli/campaigning/campaign_flags.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/github.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/merge/merge.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using campaign::Kind;
using campaign::Task;
using core::terminal::counted;
using nlohmann::ordered_json;

constexpr std::uint64_t most_record_bytes = std::uint64_t{1} << 30;
constexpr std::size_t most_lines = 20;

/// Results that are there, and tasks that have none.
struct Found {
  std::vector<fs::path> results = {};     ///< files of verify
  std::vector<core::ExitCode> ends = {};  ///< exit codes of the other commands
  std::vector<std::string> missing = {};  ///< not done yet
  std::vector<std::string> failed = {};   ///< over, without results
  std::vector<std::string> ended = {};    ///< other commands that ended otherwise than with 0
  ordered_json records = ordered_json::array();
};

/// Why a file is not what a task has done; "" where it is.
std::string damage_of(const fs::path& file, Kind kind, ordered_json& record) try {
  if (kind == Kind::verify) {
    results::ResultsFile results(file);
    return results.runs().empty() ? "it has no run" : "";
  }
  record = ordered_json::parse(ir::files::read_text(file, most_record_bytes));
  record.at("exit").get<int>();
  return "";
} catch (const std::exception& problem) {
  return problem.what();
}

/// Puts what is damaged out of the way, so that the task is run again.
void put_aside(const fs::path& file, const std::string& why) {
  fs::path bad = file;
  bad += ".bad";
  std::error_code problem;
  fs::rename(file, bad, problem);
  ir::require(!problem, file.string(), ": is damaged, and cannot be renamed: ", problem.message());
  std::cerr << core::terminal::printable(
                   fmt::format("{}: damaged: {}; it is {} now", file.string(), why, bad.filename().string()))
            << '\n';
}

Found look_at(const campaign::TaskList& list, const campaign::Queue& queue) {
  Found found;
  for (const Task& task : list.tasks) {
    const fs::path file = queue.done(task);
    ordered_json record;
    std::error_code none;
    bool is_there = fs::exists(file, none);
    if (is_there)
      if (const std::string why = damage_of(file, task.kind, record); !why.empty()) {
        put_aside(file, why);
        is_there = false;
      }
    if (!is_there) {
      const auto failures = queue.failures(task);
      if (failures.size() > task.retries)  // it may have been done since it was looked for
        found.failed.push_back(fmt::format("{}: error after {}: {}", task.text(), counted(failures.size(), "attempt"),
                                           failures.back().how));
      else
        found.missing.push_back(task.text());
      continue;
    }
    if (task.kind == Kind::verify) {
      found.results.push_back(file);
      continue;
    }
    const int exit = record.at("exit").get<int>();
    if (exit != 0)
      found.ended.push_back(
          fmt::format("{}: exit code {}: {}", task.text(), exit, ir::files::last_lines(record.value("output", ""), 1)));
    found.ends.push_back(static_cast<core::ExitCode>(exit));
    found.records.push_back(std::move(record));
  }
  return found;
}

void say_some(const std::vector<std::string>& lines, std::string_view what) {
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    std::cerr << core::terminal::printable(fmt::format("{}: {}", what, lines[i])) << '\n';
  if (lines.size() > most_lines) std::cerr << what << ": " << lines.size() - most_lines << " more\n";
}

core::RunFinding finding(std::string kind, std::string text, core::ExitCode code) {
  return {.kind = std::move(kind), .text = std::move(text), .usual = code, .strict = code};
}

/// Merges what verify has done and reports on it; what that comes to, with these findings.
core::Outcome report_runs(const CampaignGatherFlags& flags, const Found& found,
                          std::vector<core::RunFinding> findings) {
  flags::Outputs outputs{.force = flags.reports.force, .inputs = found.results};
  if (!flags.output.empty()) outputs.inputs.emplace_back(flags.output);
  RecordReports reports(flags.reports, outputs);
  std::ostream& out = reports.is_on_stdout() || flags.tasks == "-" ? std::cerr : std::cout;
  if (flags.reports.github) report::stop_workflow_commands(out);
  results::JudgedFile judged;
  if (!found.results.empty()) {
    ir::require(!flags.output.empty(), "-o is not said, and there are results of verify to write");
    const results::Merged merged =
        results::merge(found.results, flags.output, {.replace_any = flags.reports.force, .argv = show::command_line()});
    std::cerr << "results: " << flags.output << '\n';
    judged = judge_all({flags.output}, nullptr, "");
    out << fmt::format("{} of {}\n", counted(merged.runs, "run"), counted(found.results.size(), "task"));
  }
  std::ranges::move(findings, std::back_inserter(judged.findings));
  const auto ends = results::ends_of(judged.runs);
  core::Outcome outcome = core::outcome_of(ends, flags.demands, judged.findings);
  reports.write(judged, outcome, out);
  std::cerr << core::unmet(ends, flags.demands, judged.findings);
  return outcome;
}

}  // namespace

int gather_campaign(const CampaignGatherFlags& flags) {
  const campaign::TaskList list = campaign::read_tasks(flags.folder);
  const campaign::Queue queue(flags.folder, "", {});
  const auto& to = flags.reports;
  flags::require_one_on_stdout({{"--tasks", flags.tasks},
                                {"--json", to.json},
                                {"--junit", to.junit},
                                {"--markdown", to.markdown},
                                {"--html", to.html}});
  const flags::Outputs outputs{.force = to.force};
  const auto records = outputs.open(flags.tasks, ir::files::FileKind::json);
  Found found = look_at(list, queue);
  say_some(found.ended, "ended");
  say_some(found.failed, "failed");
  say_some(found.missing, "missing");
  std::vector<core::RunFinding> findings;
  if (!found.failed.empty())
    findings.push_back(finding(
        "failed_tasks",
        fmt::format("{} of {} could not be carried out", found.failed.size(), counted(list.tasks.size(), "task")),
        core::ExitCode::device_error));
  if (!found.missing.empty())
    findings.push_back(
        finding("missing_tasks",
                fmt::format("{} of {} {} not done", found.missing.size(), counted(list.tasks.size(), "task"),
                            found.missing.size() == 1 ? "is" : "are"),
                flags.partial ? core::ExitCode::passed : core::ExitCode::failed));
  const core::Outcome outcome = report_runs(flags, found, std::move(findings));
  const ordered_json made = {{"schema", "plumb.tasks/1"}, {"tasks", std::move(found.records)}};
  flags::write_whole(records, made.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  std::vector<core::ExitCode> ends = std::move(found.ends);
  ends.push_back(outcome.exit);
  return flags.exit_zero ? 0 : static_cast<int>(core::overall(std::span<const core::ExitCode>(ends)));
}

}  // namespace plumb::parity::cli
