#pragma once

// Judges cases, one block after the other, and keeps what they find.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "parity/cli/fuzzing/corpus.hpp"
#include "parity/foreign/scratch.hpp"

namespace plumb::parity::cli {

/// Files that are judged alike, by one process.
struct Block {
  std::string what;  ///< names it, so that one that was cut off is known again
  studies::fuzz::Judging judging;
  struct File {
    std::string name, text;                    ///< "000012.softmax", a graph file
    std::optional<std::uint64_t> number = {};  ///< where it is a case that was drawn
  };
  std::vector<File> files;
};

/// One call of the command.
class Hunt {
 public:
  explicit Hunt(const FuzzFlags& flags);

  /// Whether the budget is spent, or as much as --until-coverage asks for was reached.
  bool is_over() const;
  /// Judges a block, but for cases that this corpus tried before. Throws Unsupported where there is no device.
  void judge(Block block);

  Corpus* corpus() { return corpus_ ? &*corpus_ : nullptr; }
  studies::fuzz::Coverage& coverage() { return corpus_ ? corpus_->coverage() : coverage_; }
  /// Told each judged file that reached what none had before.
  std::function<void(const Block::File&)> on_new_cells = [](const Block::File&) {};

  /// Prints what all came to; the exit code.
  int finish();

 private:
  void note(const Block& block, const Block::File& file, const JudgedFile& judged);
  void report(const Block& block, const Block::File& file, const JudgedFile& judged, const std::string& name);
  void keep(const Block& block, const JudgedFile& judged, const std::string& name) const;
  std::string again(const Block::File& file) const;

  const FuzzFlags& flags_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<Corpus> corpus_;
  std::optional<foreign::Scratch> scratch_;
  studies::fuzz::Coverage coverage_;  ///< without a corpus
  std::map<std::string, std::size_t> verdicts_, known_;
  std::set<std::string> new_;
  std::size_t cases_ = 0, tried_before_ = 0, nodes_ = 0;
};

}  // namespace plumb::parity::cli
