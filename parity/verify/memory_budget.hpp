#pragma once

// A bound on the memory that verifying a case takes, and values that wait in a file meanwhile.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "ir/files/scratch_file.hpp"
#include "ir/raw/mappings.hpp"
#include "parity/cases/case.hpp"
#include "parity/cases/executors.hpp"
#include "parity/core/mode.hpp"

namespace plumb::parity::verify {

/// The values of a dump beside those of the CPU executor.
struct Dumped {
  unsigned candidate_runs = 0;  ///< runs whose values the candidate hands over all at once, and that are held together
  bool has_truth = false;
};

/// Holds what verifying takes below a number of bytes: the peak resident set of the process (VmHWM), by estimates of
/// what a node needs. The candidate's values and truths have a share of it, nodes that are judged the rest; values
/// beyond their share wait in a scratch file. Verdicts, ratios and hashes are those that any other budget gives.
///
/// Each case begins anew. Any thread may have values held.
class MemoryBudget {
 public:
  /// `scratch`: a folder. Nothing is made there before it is needed. While this lives, pages of mapped weights go once
  /// they were looked at.
  MemoryBudget(std::uint64_t most_bytes, std::filesystem::path scratch);

  std::uint64_t most() const { return most_; }

  /// Shares the bytes out for a case that is to run now. Throws Error where they are not enough, with the least that
  /// are, or where the folder of the scratch file has no room for what may have to wait in it.
  void begin(const cases::Case& subject, const cases::Executors& executors, core::Mode mode);

  /// Likewise for a dump, whose nodes are evaluated one by one.
  void begin_dump(const cases::Case& subject, const cases::Executors& executors, const Dumped& dumped);

  /// Bytes for nodes that are judged at once, when the candidate has run.
  double for_nodes() const;

  /// The tensor, in memory if the values that are held there have room for it, else in the scratch file. Throws NoRoom
  /// where the disk is full.
  ir::Tensor hold(ir::Tensor tensor);

  /// Bytes of values that were written to the scratch file.
  std::uint64_t spilled() const { return spilled_; }

 private:
  struct Held;

  void share_out(const std::string& what, double least, double at_once, double values);

  const std::uint64_t most_;
  const std::filesystem::path folder_;
  const ir::raw::ReleasesPages releases_;
  double for_values_ = 0;
  std::shared_ptr<std::atomic<std::int64_t>> held_;  ///< bytes of values in memory
  std::atomic<std::uint64_t> spilled_ = 0;
  std::mutex mutex_;  ///< guards what follows
  std::shared_ptr<ir::files::ScratchFile> file_;
};

/// "1.25 GiB", "310 MiB": rounded up.
std::string size_text(double bytes);

}  // namespace plumb::parity::verify
