#pragma once

// Graph files judged by `plumb verify`, in processes of their own.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "parity/cli/fuzzing/fuzz_flags.hpp"
#include "parity/studies/reduce/signature.hpp"

namespace plumb::parity::cli {

/// A file, and what became of it.
struct JudgedFile {
  std::filesystem::path file = {};
  cases::CaseResult result = {};
  studies::reduce::Signature signature = {};  ///< its kind is empty where it did not fail
  std::string why = {};                       ///< the first thing that is wrong, in a line
  /// The reference, too, refuses what a node is given, as a NaN to draw a token from: nobody's fault.
  bool is_refused = false;
};

/// The flags of verify, and of reduce, which say how cases are filled and judged.
std::string judging_flags(const studies::fuzz::Judging& judging, const FuzzFlags& flags);

/// Judges these files in one process and, where that ends otherwise than it should, in one for each that it left. A
/// record in `folder` that an earlier call left is gone on with: what it has is not judged again. Throws Unsupported
/// where there is no device, and Error, with what was said, where files are left without a verdict.
std::vector<JudgedFile> judge_files(const std::vector<std::filesystem::path>& files,
                                    const std::filesystem::path& folder, const studies::fuzz::Judging& judging,
                                    const FuzzFlags& flags);

}  // namespace plumb::parity::cli
