#pragma once

// The folder in which `plumb fuzz` keeps what it tried, reached and found.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "ir/files/descriptor.hpp"
#include "parity/cli/fuzzing/judged_files.hpp"
#include "parity/studies/fuzz/coverage.hpp"

namespace plumb::parity::cli {

/// A line of tried.tsv.
struct Tried {
  std::uint64_t number = 0;
  std::string name, verdict, signature;
};

/// DIR/tried.tsv, cases/, coverage.tsv, found/SIGNATURE/, and batch/ for cases that are being judged.
class Corpus {
 public:
  /// Makes the folder where there is none, and reads what it has. Throws Error where it cannot, or another process has
  /// it. `key` says which cases numbers stand for, and who computes them.
  Corpus(std::filesystem::path folder, std::string key);

  const std::filesystem::path& path() const { return folder_; }

  /// Cases of this key that were tried before.
  bool was_tried(std::uint64_t number) const { return tried_.contains(number); }
  void add_tried(const std::vector<Tried>& lines);

  studies::fuzz::Coverage& coverage() { return coverage_; }
  const studies::fuzz::Coverage& coverage() const { return coverage_; }
  void write_coverage() const;

  /// Keeps a graph file under the hash of its text. The path.
  std::filesystem::path keep_case(const std::string& text) const;

  /// An empty folder for cases to be judged next, or the one that an earlier process left while it judged these.
  std::filesystem::path batch(const std::string& what) const;
  void end_batch() const;

  /// The folder of a signature, whether it is there or not.
  std::filesystem::path found(const std::string& signature) const;

 private:
  std::filesystem::path folder_;
  std::string key_;
  ir::files::Descriptor tried_file_;  ///< locked for as long as this lives
  std::set<std::uint64_t> tried_;
  studies::fuzz::Coverage coverage_;
};

/// A signature as the name of a folder: its kind and op, "mismatch.softmax".
std::string folder_name(const studies::reduce::Signature& signature);

}  // namespace plumb::parity::cli
