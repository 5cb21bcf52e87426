#pragma once

// Runs as drift knows them, from a results file or a baseline.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parity/core/verdict.hpp"

namespace plumb::parity::studies::drift {

/// One output of one node in one run. Errors are those of the node on its own operands, in the units of the output;
/// NaN is what was not measured or not recorded.
struct Output {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string node = {};               ///< its label, "label:1" for the second output
  std::string op = {}, dtype = {};     ///< dtype of the output
  std::string kernel = {}, tile = {};  ///< "" where that was not recorded
  std::string sums = {};               ///< a hash of how the kernel adds; "" of one without sums
  core::Verdict verdict = core::Verdict::skipped;
  std::uint64_t out_hash = 0;                            ///< hash of its bits
  std::uint64_t operands_hash = 0;                       ///< hash of the bits of its operands
  double rms = unknown, max_abs = unknown;               ///< rms and largest of the errors
  double scale = unknown;                                ///< rms of the truth
  double ratio = unknown;                                ///< largest error over its limit
  double rel_l2 = unknown;                               ///< relative total error of a result of the graph, 2-norm
  float bias = std::numeric_limits<float>::quiet_NaN();  ///< mean of sgn(y)e/σ of sampled sums
  float rho = std::numeric_limits<float>::quiet_NaN();   ///< rms of e/σ of sampled sums
  float misrounded = std::numeric_limits<float>::quiet_NaN();  ///< share of sampled 16-bit results that are
};

/// One run of a case.
struct Record {
  static constexpr std::uint64_t unknown_seed = std::numeric_limits<std::uint64_t>::max();

  std::string id = {};       ///< for people, without its seed: "g.json dtype=f16"
  std::string file = {};     ///< the graph's file as it was named
  std::string subject = {};  ///< all that it was fed but seeds, as a text
  std::string graph = {};    ///< likewise, by what files before version 2.8 know: graph, precision, fill
  std::string options = {};  ///< how it was run; "" where that was not recorded
  std::string device = {}, driver = {};
  std::string tool = {};  ///< version and commit of plumb
  std::uint64_t seed = 0;
  std::uint64_t param_seed = unknown_seed;  ///< the seed of params
  double utc = Output::unknown;
  core::Verdict verdict = core::Verdict::error;
  bool is_software = true;  ///< its device is, or may be, no hardware
  std::vector<Output> outputs = {};

  /// The seeds tell runs of a subject apart.
  std::pair<std::uint64_t, std::uint64_t> seeds() const { return {seed, param_seed}; }
  bool is_named() const { return !options.empty(); }
};

/// The runs of a results file of version 2, or of a baseline, in their order. Throws Error, with the file's name, for
/// any other file, and for a results file of version 1, or of a run that was cut off.
std::vector<Record> read_records(const std::filesystem::path& path);

/// Whether the file is a baseline.
bool is_baseline(const std::filesystem::path& path);

/// The runs of each subject, seed and options once: of several the latest.
std::vector<Record> latest(std::vector<Record> records);

/// The runs of `base`, with those of `now` in the place of what they repeat, and the others of `now` behind them.
std::vector<Record> over(std::vector<Record> base, std::vector<Record> now);

}  // namespace plumb::parity::studies::drift
