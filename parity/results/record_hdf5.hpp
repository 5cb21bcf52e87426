#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parity/cases/kept_nodes.hpp"
#include "parity/cases/listed/sharding.hpp"
#include "parity/cases/observer.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/profile/device.hpp"

namespace plumb::parity::results {

/// Whose tensors a record keeps: those of no node, of failed ones, of the worst of each
/// case, of all.
enum class KeepTensors { never, fail, worst, all };

constexpr auto enum_names(KeepTensors) { return std::array<std::string_view, 4>{"never", "fail", "worst", "all"}; }

/// Which runs a record has all numbers of: all, or the first of each graph and those that did not pass (of the others
/// Rows::shorten says what is left).
enum class KeepRows { all, failed };

constexpr auto enum_names(KeepRows) { return std::array<std::string_view, 2>{"all", "failed"}; }

class Resumption;
class RunContent;

struct RecordOptions {
  KeepTensors tensors = KeepTensors::never;
  KeepRows rows = KeepRows::all;
  bool keeps_inputs = true;                          ///< numbers that inputs were given
  bool append = false;                               ///< keep the runs of an earlier results file of that name
  bool resume = false;                               ///< go on with the runs that an earlier start left
  bool knows_device = true;                          ///< false: runs are made elsewhere, and adopted
  std::function<void(Resumption&)> may_resume = {};  ///< throws Error where it is not to go on with these runs
  std::filesystem::path earlier = {};                ///< a file of runs to take over when they are asked for
  bool replace_any = false;                          ///< whatever has the name, not only a results file
  std::vector<std::filesystem::path> inputs = {};    ///< files that are never written over
  std::string profile_file = {};                     ///< as it was named
  std::vector<std::string> argv = {};                ///< recorded without the folders of absolute paths
  std::optional<std::uint64_t> planned = {};         ///< cases that are to be recorded, where that is known
  cases::Shard shard = {};                           ///< the share of all cases that these are
  std::string partition = {};                        ///< the name of all shares (cases::partition_of); "" of the whole
  profile::Device device = {};
  profile::Environment environment = {};
};

/// The results file (docs/results.md): one HDF5 file of many runs, a run to a case. It is
/// written to NAME.part, which every case leaves whole, as does an interruption that
/// ir::files::end_in_order_when_interrupted takes, and gets its name when it is
/// finished; so whatever happens, there is no damaged file under the name, and an
/// earlier one stays as it was until the new one takes its place. Until then it says of itself that it was cut off.
/// NAME.part.nodes has the nodes of a case that is not recorded yet (NodeJournal).
///
///   Recorder recorder("out.h5", options);
///   for (path : paths) recorder.record(verify_file(path, fill, executors, verify_options, recorder));
///   recorder.finish();
///
/// Throws Error: when the file cannot be written (a full disk, say), when another process is writing it,
/// or when a file of that name exists and is no results file.
class Recorder : public cases::Observer {
 public:
  /// For a program, before anything uses HDF5: a file that cannot grow is then an
  /// error and no signal, and HDF5 does not try again, and crash, when the process ends.
  static void prepare_process();

  Recorder(const std::filesystem::path& path, RecordOptions options);
  ~Recorder() override;

  void begins(const cases::Case& subject) override;
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override;

  /// Adds the case that was just observed, and leaves the file whole.
  void record(const cases::CaseResult& result);

  /// Adds how results of the last `candidates` cases, which are one case by several candidates, compare by pairs.
  void record_pairs(std::span<const cases::PairResult> pairs, std::size_t candidates);

  /// A run of this name that an earlier start recorded, where that is gone on with; each is found once.
  std::optional<cases::CaseResult> recorded(const cases::Identity& identity);
  /// The runs of that start; nullptr where none is gone on with.
  Resumption* resumption() const;

  /// Keeps the nodes of cases that are being verified; nullptr where tensors are recorded, which only a node that is
  /// judged has.
  cases::KeptNodes* kept_nodes();

  /// Adds the runs of another file that are not there yet, as those of this start, and leaves the file whole. How many
  /// these are.
  std::size_t adopt(RunContent& from);

  /// From here on so many cases are planned.
  void plan(std::uint64_t cases);

  /// Closes the file, which says that it is whole, and gives it its name.
  void finish();

  const std::filesystem::path& part_file() const;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace plumb::parity::results
