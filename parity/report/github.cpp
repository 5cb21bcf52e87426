// Annotations and the summary of a step, escaped so that no name of a node becomes a command or markup.
#include "parity/report/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "ir/error.hpp"
#include "ir/files/file_kind.hpp"
#include "ir/files/read_file.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/document.hpp"

namespace plumb::parity::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t annotations_shown = 10, tests_shown = 50;
constexpr std::uint64_t most_summary_bytes = 900 * 1024, most_graph_bytes = std::uint64_t{64} << 20;

/// A value of a command; a property of one ends at a colon or a comma, too.
std::string command_value(std::string_view text, bool is_property) {
  std::string safe;
  for (const char c : core::terminal::printable(text)) {
    const bool is_special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    safe += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return safe;
}

bool is_warned_of(const Test& test) {
  constexpr std::array<std::string_view, 6> types = {"mistrusted", "xpassed",     "expired_rule",
                                                     "retried",    "quarantined", "worn_out_quarantine"};
  return !fails(test) && (std::ranges::find(types, test.type) != types.end() || test.ends_soon);
}

/// The lines on which labels stand in graph files, read when they are first asked for.
class LabelLines {
 public:
  /// The line of a node's label; nothing where the file is no graph in JSON, or writes the label in another way.
  std::optional<std::size_t> line_of(const std::string& file, const std::string& node) {
    if (const auto line = line_of_label(file, node)) return line;
    const std::size_t colon = node.rfind(':');  // "label:1" is the second output of a node
    return colon == node.npos ? std::nullopt : line_of_label(file, node.substr(0, colon));
  }

 private:
  std::optional<std::size_t> line_of_label(const std::string& file, const std::string& label) {
    const std::string& text = text_of(file);
    const std::string wanted = nlohmann::json(label).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
      const std::string_view before = std::string_view(text).substr(0, at);
      const std::size_t colon = before.find_last_not_of(" \t\r\n");
      if (colon == before.npos || before[colon] != ':') continue;
      const std::size_t key = before.substr(0, colon).find_last_not_of(" \t\r\n");
      if (key != before.npos && before.substr(0, key + 1).ends_with("\"label\""))
        return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    }
    return std::nullopt;
  }

  const std::string& text_of(const std::string& file) {
    const auto [found, is_new] = texts_.try_emplace(file);
    if (!is_new || !ir::files::has_extension(file, ".json")) return found->second;
    try {
      found->second = ir::files::read_text(file, most_graph_bytes);
    } catch (const ir::Error&) {
      // Without the file there is no line.
    }
    return found->second;
  }

  std::map<std::string, std::string> texts_;
};

/// The file relative to the workspace; "" where it is not below it.
std::string in_workspace(const std::string& file, const fs::path& workspace) {
  if (file.empty() || workspace.empty()) return "";
  std::error_code problem;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, problem), problem),
                 relative = whole.lexically_relative(fs::weakly_canonical(workspace, problem));
  if (problem || relative.empty() || *relative.begin() == ".." || !fs::exists(whole, problem)) return "";
  return relative.generic_string();
}

std::string annotation(const char* level, const Told& one, const fs::path& workspace, LabelLines& lines) {
  std::string place;
  if (const std::string file = in_workspace(one.suite->file, workspace); !file.empty()) {
    place = fmt::format("file={},", command_value(file, true));
    if (!one.test->node.empty())
      if (const auto line = lines.line_of(one.suite->file, one.test->node)) place += fmt::format("line={},", *line);
  }
  const Test& test = *one.test;
  const std::string what = test.op.empty() ? "" : test.op + ' ';
  std::string text = test.details.empty() ? test.message : test.details;
  text.erase(text.find_last_not_of('\n') + 1);
  return fmt::format("::{} {}title={}::{}\n", level, place,
                     command_value(fmt::format("{}{}: {}", what, test.type, test.name), true),
                     command_value(text.empty() ? test.type : text, false));
}

std::string annotations(const char* level, const std::vector<Told>& all, const fs::path& workspace, LabelLines& lines) {
  const std::size_t shown = all.size() <= annotations_shown ? all.size() : annotations_shown - 1;
  std::string text;
  for (const Told& one : std::span(all).first(shown)) text += annotation(level, one, workspace, lines);
  if (shown < all.size()) text += fmt::format("::{} title=plumb::and {} more\n", level, all.size() - shown);
  return text;
}

/// Text in which nothing is markup: CommonMark takes any ASCII punctuation behind a backslash for itself.
std::string markdown(std::string_view text) {
  std::string safe;
  for (const char c : core::terminal::printable(text)) {
    const bool is_plain = static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (c == '\n' || c == '\t')
      safe += ' ';
    else
      safe += is_plain || c == ' ' ? std::string(1, c) : std::string{'\\', c};
  }
  return safe;
}

/// The verdict of the run, its cases by verdict, and findings that do not decide it.
std::string head_of(std::span<const Suite> suites, std::span<const Told> failed, const RunFacts& facts) {
  std::string text =
      fmt::format("### plumb: {}\n\n| verdict | cases |\n|---|---|\n", headline_of(failed, facts, markdown));
  for (const auto& [verdict, cases] : cases_by_verdict(suites))
    text += fmt::format("| {} | {} |\n", markdown(verdict), cases);
  if (!facts.device.empty()) text += fmt::format("\nDevice: {}, {}\n", markdown(facts.device), markdown(facts.driver));
  for (const core::RunFinding& one : facts.outcome.findings)
    if (one.code(facts.outcome.demands) == core::ExitCode::passed) text += "\nNote: " + markdown(one.text) + '\n';
  return text;
}

/// The first tests as a table, and their commands.
std::string failed_text(std::span<const Told> failed, std::size_t shown) {
  if (failed.empty()) return "";
  std::string table = "\n| node | op | dtype | kernel | ratio | pattern or reason |\n|---|---|---|---|---|---|\n";
  std::string commands;
  for (const Told& one : failed.first(shown)) {
    const Test& test = *one.test;
    table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown(test.group + ' ' + test.name), markdown(test.op),
                         markdown(property(test, "dtype")), markdown(property(test, "kernel")),
                         std::isnan(test.ratio) ? "" : fmt::format("{:.3g}", test.ratio), markdown(reason_of(test)));
    std::string command = core::terminal::printable(repro_of(test));
    std::ranges::replace(command, '\n', ' ');
    // Four spaces make code of whatever follows.
    if (!command.empty()) commands += "    " + command + '\n';
  }
  if (shown < failed.size()) table += fmt::format("\nand {} more, which are left out here\n", failed.size() - shown);
  if (commands.empty()) return table;
  return table + "\n<details><summary>commands that repeat them</summary>\n\n" + commands + "\n</details>\n";
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? "" : value;
}

/// The word that ends what stop_workflow_commands began, and where it goes.
struct Stopped {
  std::string token;
  std::ostream* out = nullptr;
};

Stopped& stopped() {
  static Stopped one;
  return one;
}

}  // namespace

Workflow workflow_of_environment() { return {variable("GITHUB_WORKSPACE"), variable("GITHUB_STEP_SUMMARY")}; }

std::string to_annotations(std::span<const Suite> suites, const fs::path& workspace) {
  LabelLines lines;
  return annotations("error", worst_first(suites, fails), workspace, lines) +
         annotations("warning", worst_first(suites, is_warned_of), workspace, lines);
}

std::string to_markdown(std::span<const Suite> suites, const RunFacts& facts, std::uint64_t most_bytes) {
  const auto failed = worst_first(suites, fails);
  const std::string head = head_of(suites, failed, facts);
  for (std::size_t shown = std::min(failed.size(), tests_shown);; --shown) {
    std::string page = head + failed_text(failed, shown);
    if (page.size() <= most_bytes) return page;
    if (shown == 0) return "";
  }
}

void append_summary(const fs::path& summary, std::span<const Suite> suites, const RunFacts& facts) {
  std::error_code problem;
  const std::uint64_t taken = fs::exists(summary, problem) ? fs::file_size(summary, problem) : 0;
  const std::string page = to_markdown(suites, facts, taken < most_summary_bytes ? most_summary_bytes - taken : 0);
  const std::string name = core::terminal::printable(summary.string());
  if (page.empty()) {
    std::cerr << "warning: " << name << " has no room left for a summary\n";
    return;
  }
  std::ofstream file(summary, std::ios::app | std::ios::binary);
  file << page;
  file.close();
  if (file.fail()) std::cerr << "warning: " << name << ": the summary cannot be written\n";
}

void tell_github(std::ostream& out, std::span<const Suite> suites, const RunFacts& facts) {
  resume_workflow_commands();
  const Workflow workflow = workflow_of_environment();
  out << to_annotations(suites, workflow.workspace) << std::flush;
  if (!workflow.summary.empty()) append_summary(workflow.summary, suites, facts);
}

void stop_workflow_commands(std::ostream& out) {
  std::random_device system;
  stopped() = {fmt::format("plumb-{:08x}{:08x}{:08x}{:08x}", system(), system(), system(), system()), &out};
  out << "::stop-commands::" << stopped().token << '\n' << std::flush;
}

void resume_workflow_commands() {
  if (stopped().out == nullptr) return;
  *stopped().out << "::" << stopped().token << "::\n" << std::flush;
  stopped() = {};
}

void annotate_problem(std::string_view problem) {
  std::ostream* const out = stopped().out;
  resume_workflow_commands();
  if (out != nullptr) *out << "::error title=plumb::" << command_value(problem, false) << '\n' << std::flush;
}

}  // namespace plumb::parity::report
