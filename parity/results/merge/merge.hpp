#pragma once

// Several results files as one.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/results/merge/run_content.hpp"

namespace plumb::parity::results {

/// Which of several runs with one key is kept: all, the latest, or the one with the worst verdict.
enum class OnePerKey { all, newest, worst };

constexpr auto enum_names(OnePerKey) { return std::array<std::string_view, 3>{"all", "newest", "worst"}; }

struct MergeOptions {
  OnePerKey one_per_key = OnePerKey::all;
  bool partial = false;      ///< take files of runs that were cut off, too
  bool replace_any = false;  ///< whatever has the name of the new file, not only a results file
  std::vector<std::string> argv = {};
};

struct Merged {
  std::size_t runs = 0;                   ///< in the new file
  std::size_t repeated = 0;               ///< runs that were there already
  std::vector<std::string> missing = {};  ///< why the new file is no whole, a line each; empty: it is one
};

/// Writes a file of all runs and starts of the program that `inputs` have, each once. A run is the one that its uuid
/// names. The order of `inputs` makes no difference but to places in the file (digest_of_file). Throws Error, naming
/// the file, where one cannot be read, is no results file of version 2, or is one that is still being written and
/// `partial` is not said; where two files have another run under one uuid; and as OutputFile does. Nothing is written
/// then.
Merged merge(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
             const MergeOptions& options);

/// Adds runs of results files to a results file, whose layout has been made and which may have runs. Whatever else
/// writes to it does so before or after.
class RunCopier {
 public:
  explicit RunCopier(ir::hdf5::Store& to);

  /// Adds these runs of a file, in this order, and all its starts of the program. Of a start that two files have, the
  /// later state stays. Where a `launch` of the new file is named, the runs are its, and no start is added.
  void add(RunContent& from, std::span<const Run* const> runs, std::optional<std::uint32_t> launch = {});

  /// Writes the starts of the program, and the names, when all runs have been added.
  void finish();

  std::vector<Launch>& launches() { return launches_; }
  const std::string& name(std::uint32_t id) const { return names_in_order_.at(id); }
  /// How many runs there are of a start of the program.
  std::size_t runs_of(std::size_t launch) const {
    const auto found = runs_of_.find(launch);
    return found == runs_of_.end() ? 0 : found->second;
  }

 private:
  /// Rows that are not written yet.
  struct Held {
    std::array<std::vector<std::byte>, RunContent::paths.size()> tables = {};
    std::vector<std::byte> worst = {};
    std::vector<std::uint32_t> hist_ulp = {}, hist_ratio = {};
    std::vector<Run> runs = {};
  };

  std::uint32_t name_id(const std::string& name);
  void map_names(ResultsFile& from, const TableType& type, std::span<std::byte> row);
  void add_launches(RunContent& from, std::vector<std::uint32_t>& places);
  void copy_once(RunContent& from, const std::string& path);
  void copy_texts(RunContent& from, const std::string& group);
  void copy_graph(RunContent& from, const std::string& id);
  std::string copy_device(RunContent& from, const std::string& name);
  void copy_tensors(RunContent& from, const std::string& path, const std::string& to);
  void copy_fed(RunContent& from, const Run& run, std::uint32_t place);
  void copy_groups(RunContent& from, const Run& run, std::uint32_t place);
  void copy_run(RunContent& from, Run run, std::uint32_t place, std::span<const std::uint32_t> launches);
  void copy_rows(RunContent& from, const Run& run, std::uint32_t place);
  void copy_node(RunContent& from, const Run& run, std::size_t row, std::span<std::byte> bytes);
  void write_rows(const RunContent& from);
  std::int32_t place_of_sums(RunContent& from, const Run& run, const Node& row);

  ir::hdf5::Store& to_;
  std::map<std::string, std::uint32_t> names_;
  std::vector<std::string> names_in_order_;
  std::vector<Launch> launches_;
  std::size_t earlier_names_ = 0, earlier_launches_ = 0;  ///< that the file has had before
  std::map<std::size_t, std::size_t> runs_of_;            ///< by launch
  std::uint32_t runs_ = 0;
  Held held_;
  std::set<std::string> seen_;  ///< groups of the file that is being added that need no second look
  std::map<std::string, std::map<std::vector<std::string>, std::int32_t>> sums_;  ///< by list, then by texts
  std::map<std::string, std::int32_t> sum_rows_;                                  ///< how many texts each list has
  std::map<std::string, std::string> devices_;                                    ///< texts of devices, by name
  std::map<std::string, std::string> kept_;                                       ///< where numbers are, by their form
  std::map<std::uint32_t, std::uint32_t> places_;  ///< by place in the file that is being added
};

}  // namespace plumb::parity::results
