// `plumb fuzz`: draws graphs and judges them, to find what is wrong with a device, or with the limits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "ir/files/read_file.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/fuzzing/graph_texts.hpp"
#include "parity/cli/fuzzing/hostile_files.hpp"
#include "parity/cli/fuzzing/hunt.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

Block::File file_of(const studies::fuzz::DrawnCase& drawn, std::uint64_t number) {
  return {.name = drawn.name, .text = ir::formats::write_graph(drawn.file), .number = number};
}

/// Writes graphs into a folder that is there or is to be made.
int write_cases(const FuzzFlags& flags) {
  const fs::path folder(flags.write);
  cli::flags::require_free_folder("--write", folder, flags.force);
  cli::flags::make_folder("--write", folder);
  std::size_t written = 0;
  for (std::uint64_t i = 0; i < flags.count; ++i) {
    const auto drawn = chosen_case(flags, flags.first + i);
    if (!drawn) continue;
    const Block::File file = file_of(*drawn, flags.first + i);
    show::write_graph_text(folder / (file.name + ".json"), file.text);
    ++written;
  }
  show::print("{}: {}\n", flags.write, core::terminal::counted(written, "graph"));
  return static_cast<int>(core::ExitCode::passed);
}

/// The chosen cases of the block that begins at a number and ends with the block or with the last case.
Block block_of(const FuzzFlags& flags, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t number = first / studies::fuzz::cases_of_a_block;
  Block block{.what = fmt::format("block {} of seed {}", number, flags.cases.seed),
              .judging = studies::fuzz::judging_of(flags.cases, number),
              .files = {}};
  for (std::uint64_t i = first; i < end; ++i)
    if (const auto drawn = chosen_case(flags, i)) block.files.push_back(file_of(*drawn, i));
  return block;
}

void judge_drawn(const FuzzFlags& flags, Hunt& hunt) {
  const std::uint64_t end = flags.first + flags.count;
  for (std::uint64_t first = flags.first; first < end && !hunt.is_over();) {
    const std::uint64_t behind = (first / studies::fuzz::cases_of_a_block + 1) * studies::fuzz::cases_of_a_block;
    hunt.judge(block_of(flags, first, std::min(behind, end)));
    first = behind;
  }
}

/// Judges given graphs, those that are judged alike and follow each other together.
void judge_given(const std::vector<GraphText>& given, Hunt& hunt) {
  for (std::size_t i = 0; i < given.size() && !hunt.is_over();) {
    Block block{.what = "given", .judging = given[i].judging, .files = {}};
    for (; i < given.size() && block.files.size() < studies::fuzz::cases_of_a_block; ++i) {
      const bool is_alike = given[i].judging == block.judging;
      const bool has_name =
          std::ranges::any_of(block.files, [&](const Block::File& file) { return file.name == given[i].name; });
      if (!is_alike || has_name) break;
      block.files.push_back({.name = given[i].name, .text = given[i].text});
    }
    hunt.judge(std::move(block));
  }
}

int replay(const FuzzFlags& flags, Hunt& hunt) {
  const GraphTexts given = read_graph_texts(flags.replay, flags);
  for (const std::string& refused : given.refused) show::print("left: {}\n", refused);
  for (const std::string& note : given.notes) show::print("{}\n", note);
  judge_given(given.graphs, hunt);
  return hunt.finish();
}

/// Judges the cases of all corpora, the smallest first, and keeps those that reach what no smaller one does.
int merge(const FuzzFlags& flags, Hunt& hunt) {
  Corpus& corpus = *hunt.corpus();
  std::vector<std::string> folders = {(corpus.path() / "cases").string()};
  for (const std::string& other : flags.merge) {
    ir::require(fs::is_directory(fs::path(other) / "cases"), "--merge ", other, ": is no corpus: it has no cases/");
    folders.push_back((fs::path(other) / "cases").string());
  }
  GraphTexts given = read_graph_texts(folders, flags);
  for (const std::string& refused : given.refused) show::print("left: {}\n", refused);
  const auto place = [](const GraphText& one) { return std::pair(one.text.size(), std::string_view(one.text)); };
  std::ranges::stable_sort(given.graphs, {}, place);
  const auto is_twice = [](const GraphText& a, const GraphText& b) { return a.text == b.text; };
  given.graphs.erase(std::unique(given.graphs.begin(), given.graphs.end(), is_twice), given.graphs.end());
  std::set<fs::path> kept;
  corpus.coverage() = {};
  hunt.on_new_cells = [&](const Block::File& file) { kept.insert(corpus.keep_case(file.text)); };
  judge_given(given.graphs, hunt);
  for (const auto& entry : fs::directory_iterator(corpus.path() / "cases"))
    if (!kept.contains(entry.path()) && entry.path().extension() == ".json" && !hunt.is_over())
      fs::remove(entry.path());
  show::print("{}: kept {} of {}\n", corpus.path().string(), kept.size(),
              core::terminal::counted(given.graphs.size(), "case"));
  const int code = hunt.finish();
  return given.refused.empty() ? code : static_cast<int>(core::ExitCode::tool_error);
}

int fuzz_by(const FuzzFlags& flags) {
  require_sense(flags);
  if (!flags.write.empty()) return write_cases(flags);
  if (flags.hostile) return read_hostile_files(flags);
  Hunt hunt(flags);
  if (Corpus* const corpus = hunt.corpus())
    hunt.on_new_cells = [corpus](const Block::File& file) { corpus->keep_case(file.text); };
  if (!flags.replay.empty()) return replay(flags, hunt);
  if (!flags.merge.empty()) return merge(flags, hunt);
  judge_drawn(flags, hunt);
  return hunt.finish();
}

}  // namespace

Action fuzz(CLI::App& app) {
  const auto flags = std::make_shared<FuzzFlags>();
  add_fuzz_flags(app, *flags);
  return [flags] { return fuzz_by(*flags); };
}

}  // namespace plumb::parity::cli
