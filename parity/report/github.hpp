#pragma once

// Reports of a run to GitHub Actions: annotations on stdout, and a page of Markdown.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "parity/report/suites.hpp"

namespace plumb::parity::report {

/// Where a step of a workflow runs, by its environment; empty outside of one.
struct Workflow {
  std::filesystem::path workspace = {};  ///< GITHUB_WORKSPACE
  std::filesystem::path summary = {};    ///< GITHUB_STEP_SUMMARY: a file to append Markdown to
};

Workflow workflow_of_environment();

/// An "::error" for each test that failed, a "::warning" for each that is only mistrusted, passed against expectation,
/// or is excused for a few days more. GitHub shows ten of each: the nine worst, then how many more there are. Files are
/// relative to the workspace, with the line of the node's label where the file is a graph in JSON; what lies outside
/// has neither.
std::string to_annotations(std::span<const Suite> suites, const std::filesystem::path& workspace);

/// The length of a summary that fits a comment.
inline constexpr std::uint64_t most_comment_bytes = 60 * 1024;

/// The verdicts of cases, at most 50 tests that failed, and the commands that repeat them, in no more bytes than that:
/// tests are left out, and it says so. Empty where not even the verdicts fit.
std::string to_markdown(std::span<const Suite> suites, const RunFacts& facts, std::uint64_t most_bytes);

/// Appends that page to the summary of the step, which GitHub drops as a whole when it is larger than 1 MiB: with what
/// others wrote there it has at most 900 KiB. What cannot be written is a warning on stderr.
void append_summary(const std::filesystem::path& summary, std::span<const Suite> suites, const RunFacts& facts);

/// All of that: the commands of GitHub's are obeyed again, annotations go to "out", and the summary to where the
/// environment says.
void tell_github(std::ostream& out, std::span<const Suite> suites, const RunFacts& facts);

/// From here on GitHub takes nothing that this process prints for a command, whatever the names of nodes are; "out" is
/// where people are told of the run.
void stop_workflow_commands(std::ostream& out);
/// Until here; nothing where they were not stopped.
void resume_workflow_commands();
/// Until here, with an "::error" that says what ended the command; nothing where they were not stopped.
void annotate_problem(std::string_view problem);

}  // namespace plumb::parity::report
