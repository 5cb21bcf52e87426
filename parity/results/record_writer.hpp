#pragma once

// For record_hdf5.cpp alone.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/files/output_file.hpp"
#include "ir/hdf5/store.hpp"
#include "parity/cases/kept_nodes.hpp"
#include "parity/results/node_journal.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/record_parts.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/results/resumption.hpp"

namespace plumb::parity::results {

/// Writes one results file, case after case.
class Recorder::Writer final : public cases::KeptNodes {
 public:
  Writer(const std::filesystem::path& path, RecordOptions options);

  void begins(const cases::Case& subject);
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
  void record(const cases::CaseResult& result);
  void record_pairs(std::span<const cases::PairResult> pairs, std::size_t candidates);
  void plan(std::uint64_t cases);
  void finish();
  const std::filesystem::path& part() const { return output_.part(); }
  Resumption* resumption() { return resumption_ ? &*resumption_ : nullptr; }
  std::optional<cases::CaseResult> recorded(const cases::Identity& identity);
  void adopt(RunContent& from, const std::vector<const Run*>& runs);
  std::size_t adopt(RunContent& from);
  std::map<std::size_t, cases::KeptNode> begin(const cases::Identity& identity, const std::string& policy) override;
  void keep(std::size_t n, const cases::KeptNode& node) override;
  bool keeps_nodes() const { return options_.tensors == KeepTensors::never; }

 private:
  struct Kept {
    cases::NodeResult result;
    ir::Tensor truth, got;
  };

  ir::hdf5::Store make_store(const std::filesystem::path& path);
  std::string last_word();
  void make_layout();
  void read_names();
  std::uint32_t name_id(const std::string& name);
  NameId name_ids() {
    return [this](const std::string& name) { return name_id(name); };
  }
  void begin_launch();
  void write_launch();
  void write_tensors(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
  void append_results(const cases::CaseResult& result);
  void append_run(const cases::CaseResult& result);
  void name_run(results::Run& run, const cases::CaseResult& result);

  const std::filesystem::path path_;
  const RecordOptions options_;
  std::optional<Resumption> resumption_;
  ir::files::OutputFile output_;
  ir::hdf5::Store store_;
  std::uint32_t run_ = 0, first_run_ = 0;
  std::uint32_t launch_ = 0;  ///< the row of this start of the program
  results::Launch launch_row_ = {};
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::map<std::string, SumList> sums_;   ///< by where they are in the file
  std::set<std::string> earlier_graphs_;  ///< graphs of which an earlier start recorded a run
  std::vector<std::string> new_names_;
  const ir::Graph* graph_ = nullptr;  ///< the running case's
  std::shared_ptr<const ir::formats::GraphFile> file_;
  Sources sources_{options_.keeps_inputs};
  std::optional<Kept> worst_;
  std::optional<NodeJournal> journal_;
  std::optional<ir::files::LastWord> last_word_;
};

}  // namespace plumb::parity::results
