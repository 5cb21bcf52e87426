// Judges blocks, has new failures reduced, and says what was found.
#include "parity/cli/fuzzing/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "ir/files/output_file.hpp"
#include "ir/files/process.hpp"
#include "library/own_files.hpp"
#include "parity/cli/fuzzing/graph_texts.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using core::terminal::counted;

std::string verdict_of(const JudgedFile& judged) {
  return judged.is_refused ? "refused" : std::string(ir::enum_name(judged.result.verdict));
}

constexpr auto reduction_time = std::chrono::minutes(5);
constexpr const char* reduction_budget = "60s";

/// Which cases numbers stand for, and who computes them.
std::string key_of(const FuzzFlags& flags) {
  return fmt::format("generator {} seed {} nodes {}{}", studies::fuzz::generator_version, flags.cases.seed,
                     flags.cases.most_nodes, judging_flags({.seed = 0}, flags));
}

std::string shares_text(const studies::fuzz::Coverage& coverage) {
  std::string text;
  for (const std::string_view kind : studies::fuzz::declared_kinds) {
    const studies::fuzz::Share share = coverage.share(kind);
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", kind, share.reached, share.all);
  }
  std::set<std::string> kernels;
  for (const auto& [cell, reached] : coverage.cells())
    if (cell.kind == "kernel" && reached.device > 0) kernels.insert(cell.subject);
  return fmt::format("reached {:.2f} of what ops declare ({}) by {}", coverage.share().value(), text,
                     counted(kernels.size(), "kernel"));
}

}  // namespace

Hunt::Hunt(const FuzzFlags& flags) : flags_(flags) {
  if (flags.corpus.empty())
    scratch_.emplace(std::uint64_t{1} << 28, fs::path());
  else
    corpus_.emplace(flags.corpus, key_of(flags));
}

bool Hunt::is_over() const {
  const auto budget = flags_.time();
  if (budget && std::chrono::steady_clock::now() - begin_ >= *budget) return true;
  const studies::fuzz::Coverage& coverage = corpus_ ? corpus_->coverage() : coverage_;
  return flags_.until_coverage > 0 && coverage.share().value() >= flags_.until_coverage;
}

void Hunt::judge(Block block) {
  if (corpus_) {
    tried_before_ += std::erase_if(
        block.files, [&](const Block::File& file) { return file.number && corpus_->was_tried(*file.number); });
  }
  if (block.files.empty()) return;
  std::string what = block.what;
  for (const Block::File& file : block.files) what += '\n' + file.name;
  const fs::path folder = corpus_ ? corpus_->batch(what) : scratch_->path();
  std::vector<fs::path> paths;
  for (const Block::File& file : block.files) {
    paths.push_back(folder / (file.name + ".json"));
    show::write_graph_text(paths.back(), file.text);
  }
  const std::vector<JudgedFile> judged = judge_files(paths, folder, block.judging, flags_);
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const Block::File& file = block.files[i];
    note(block, file, judged[i]);
    if (file.number)
      tried.push_back({*file.number, file.name, verdict_of(judged[i]),
                       judged[i].signature.kind.empty() ? "-" : folder_name(judged[i].signature)});
  }
  if (corpus_) {
    corpus_->write_coverage();
    corpus_->add_tried(tried);
    corpus_->end_batch();
  } else {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) fs::remove(entry.path(), none);
  }
}

void Hunt::note(const Block& block, const Block::File& file, const JudgedFile& judged) {
  ++cases_;
  nodes_ += judged.result.nodes.size();
  ++verdicts_[verdict_of(judged)];
  if (coverage().add(judged.result, file.name, block.judging.fill)) on_new_cells(file);
  if (judged.signature.kind.empty()) return;
  const std::string name = folder_name(judged.signature);
  std::error_code none;
  const bool is_known = new_.contains(name) || (corpus_ && fs::exists(corpus_->found(name), none));
  if (is_known) {
    ++known_[name];
    return;
  }
  new_.insert(name);
  report(block, file, judged, name);
}

std::string Hunt::again(const Block::File& file) const {
  if (!file.number) return "";
  const std::string corpus = flags_.corpus.empty() ? "FOLDER" : core::terminal::shell_word(flags_.corpus + ".again");
  std::string text = fmt::format("plumb fuzz --seed {} --first {} --count 1", flags_.cases.seed, *file.number);
  if (flags_.cases.most_nodes != studies::fuzz::GeneratorOptions{}.most_nodes)
    text += fmt::format(" --nodes {}", flags_.cases.most_nodes);
  return text + " --corpus " + corpus;
}

void Hunt::report(const Block& block, const Block::File& file, const JudgedFile& judged, const std::string& name) {
  show::print("{}: {}\n", file.name, studies::reduce::to_text(judged.signature));
  if (!judged.why.empty()) show::print("   {}\n", judged.why);
  show::print("   judged by: plumb verify{}\n", judging_flags(block.judging, flags_));
  if (corpus_) keep(block, judged, name);
  if (const std::string line = again(file); !line.empty()) show::print("   again: {}\n", line);
  std::cout.flush();  // who follows a long hunt reads a finding when it is found
}

/// Has the failure reduced into the corpus. Where that cannot be done, the case is kept as it is.
void Hunt::keep(const Block& block, const JudgedFile& judged, const std::string& name) const {
  const fs::path folder = corpus_->found(name);
  std::vector<std::string> words = {library::own_program("plumb"),
                                    "reduce",
                                    judged.file.string(),
                                    "--budget",
                                    reduction_budget,
                                    "--case-timeout",
                                    flags_.timeout,
                                    "-o",
                                    folder.string()};
  std::ranges::move(ir::files::split_words(judging_flags(block.judging, flags_)), std::back_inserter(words));
  const ir::files::ProcessEnd end = ir::files::run_process(words, {.time = reduction_time});
  std::error_code none;
  const bool is_reduced = end.is_good() && fs::exists(folder / "repro.json", none);
  if (!is_reduced) {
    fs::create_directory(folder, none);
    fs::copy_file(judged.file, folder / "repro.json", fs::copy_options::overwrite_existing, none);
    ir::files::write_text(folder / "report.md",
                          fmt::format("# {}\n\nNot reduced: {}\n\n```\nplumb verify repro.json{}\n{}\n```\n",
                                      studies::reduce::to_text(judged.signature), ir::files::last_lines(end.output, 1),
                                      judging_flags(block.judging, flags_), judged.why));
  }
  show::print("   {}: {}\n", is_reduced ? "reduced" : "kept, not reduced", folder.string());
  if (flags_.keep.empty()) return;
  const fs::path fixture = fs::path(flags_.keep) / (name + ".json");
  std::error_code problem;
  fs::copy_file(folder / "repro.json", fixture, fs::copy_options::skip_existing, problem);
  ir::require(!problem, "--keep ", fixture.string(), ": ", problem.message());
}

int Hunt::finish() {
  std::string verdicts;
  for (const auto& [verdict, count] : verdicts_) verdicts += fmt::format(", {} {}", count, verdict);
  show::print("{} of {}{}{}\n", counted(cases_, "case"), counted(nodes_, "output"), verdicts,
              tried_before_ > 0 ? fmt::format("; {} were tried before", tried_before_) : "");
  if (cases_ > 0) show::print("{}\n", shares_text(coverage()));
  for (const auto& [name, count] : known_) show::print("known: {}, {}\n", name, counted(count, "case"));
  if (new_.empty()) show::print("nothing new was found\n");
  for (const std::string& name : new_) show::print("new: {}\n", name);
  return static_cast<int>(new_.empty() ? core::ExitCode::passed : core::ExitCode::failed);
}

}  // namespace plumb::parity::cli
