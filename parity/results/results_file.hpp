#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/hdf5/store.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/core/demands.hpp"
#include "parity/policy/policy.hpp"
#include "parity/results/results_tables.hpp"

namespace plumb::parity::results {

/// The device of a run, as a results file records it.
struct StoredDevice {
  policy::Facts facts = {};  ///< shared by all nodes
  bool is_software = true;   ///< also what does not say that it is hardware
  std::string driver_info = {};
};

/// The kernel of a node, as a results file records it. Version 1 recorded nothing of it.
struct StoredKernel {
  bool is_recorded = false;
  std::string name = {}, tile = {};
  std::optional<ir::DType> accumulation = {};  ///< the accumulator of its sums; nothing without sums
};

/// A name of what a run was and how it was run, of the ids of its subject and its options.
std::string key_of(const std::string& subject, const std::string& options);

/// A results file of version 1 or 2, opened to be read: the one reader for all who ask what is in it. Tables are read
/// when they are first asked for. What version 1 lacks is said to be not recorded. Throws Error, naming the file.
class ResultsFile {
 public:
  /// Throws Error, too, when it is no results file of a version known here.
  explicit ResultsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const ir::hdf5::Store& store() const { return store_; }
  /// A text about the file as a whole, "git_commit"; "" where it says nothing.
  std::string attribute(const std::string& name) const;
  int version() const { return version_; }

  const std::vector<std::string>& names();
  /// The text of a number; "?" where there is none.
  const std::string& name(std::uint32_t id);

  /// Throws Error where a row, TABLE[place], has the number of a text that is not there.
  void require_names(const TableType& type, std::span<const std::byte> row, std::string_view table, std::size_t place);

  /// Throws Error, too, where a run has the number of a text or of a launch that is not there.
  const std::vector<Run>& runs();
  const std::vector<Launch>& launches();
  /// That fewer cases were recorded than were to be, since a start of the program did not end as it was to. Nothing
  /// where all did, and where that was not recorded: before version 2.9.
  std::optional<core::RunFinding> cut_off();
  /// The unique id of a run; before version 2.8 it is made of the file's argv and time, and the run's row.
  cases::Uuid uuid(const Run& run);
  /// The rows of /results/nodes of all runs, and those of one run that hold local errors.
  const std::vector<Node>& rows();
  const std::vector<std::size_t>& local_rows(const Run& run);
  /// All parts of the output whose local part is that row, which is the first: they are written together.
  std::span<const Node> parts_of(std::size_t row);
  /// Its total, against the graph as it was; nullptr where there is none.
  const Node* total_of(std::size_t row);
  /// The part of it that was judged.
  const Node& gated_of(std::size_t row);
  /// Whether a run was made in another dtype than its graph's and recorded before version 2.9: what is called a total
  /// there is against the converted graph.
  bool lacks_totals_as_written(const Run& run);
  /// Whether what another implementation gave failed in a run, whatever its nodes did; where a `lambda` is given, by
  /// limits that allow for so many standard deviations.
  bool refutes_expected(const Run& run, std::optional<double> lambda = {});
  /// key_of a run's subject and options; "" of one that has none, recorded before version 2.8.
  std::string key(const Run& run);
  /// "bert.json (graph 24236c7cef24)", or the graph alone where the file is not recorded: before version 2.6.
  std::string subject(const Run& run);
  /// "device llvmpipe", or "candidate cpu" where the run has another candidate than our device.
  std::string who(const Run& run);
  /// The patterns of an output's failing elements, a text for each.
  std::vector<std::string> patterns(const Node& row);
  std::vector<PatternRow> pattern_rows(const Node& row);
  /// The map of an output, where the file has it: from version 2.18 on.
  compare::RatioMap map(const Node& row);
  /// The relations that a run was checked for by --metamorphic, and the results of another implementation's tensors.
  std::vector<RelationRow> relations(const Run& run);
  std::vector<ExpectedRow> expected(const Run& run);
  /// How results of several candidates on one case compare, as they were recorded; empty of files before version 2.11.
  std::vector<cases::PairResult> pairs();
  /// The worst elements of a row.
  std::span<const TopElement> worst(std::size_t row);
  /// How many errors of a row are of which size (compare::ulp_edges); empty where that was not recorded.
  std::span<const std::uint32_t> ulps(std::size_t row);

  /// The graph of a run; nothing where it has none, or one with ops that are not known here.
  std::shared_ptr<const ir::formats::GraphFile> graph_file(const Run& run);
  /// A text at a place of the file; "" where there is none.
  std::string text_of(const std::string& path) const;

  /// The node table of a run's graph; empty where the run has none.
  const std::vector<GraphNode>& graph(const Run& run);
  /// The node of a row; nullptr where the graph has no such node. node_of throws Error there.
  const GraphNode* find_node(const Run& run, const Node& row);
  const GraphNode& node_of(const Run& run, const Node& row);
  /// "label" or "label:1"; "?" for a node that the graph does not have.
  std::string label(const Run& run, const Node& row);

  StoredKernel kernel(const Node& row);
  /// How the kernel of a row adds; empty where it does not, or where that was not recorded.
  std::vector<ir::Sum> sums(const Run& run, const Node& row);
  /// "graph", the dtype or the precision that a run had; "not recorded" of version 1, which knew dtypes alone.
  std::string precision(const Run& run);

  const StoredDevice& device(const Run& run);
  /// Where the policy that judged a run is; "" where there was none.
  std::string policy_path(const Run& run);

 private:
  const std::vector<std::string>& sums_of(std::uint32_t graph_id);
  const std::vector<ExpectedRow>& expected();

  const std::filesystem::path path_;
  const ir::hdf5::Store store_;
  int version_ = 0;
  const bool is_before_2_9_;
  std::optional<std::vector<std::string>> names_;
  std::optional<std::vector<Run>> runs_;
  std::optional<std::vector<Launch>> launches_;
  std::optional<std::vector<Node>> rows_;
  std::optional<std::vector<TopElement>> worst_;
  std::optional<std::vector<std::uint32_t>> ulps_;
  std::optional<std::vector<PatternRow>> patterns_;
  std::optional<std::vector<MapRow>> maps_;
  std::optional<std::vector<ExpectedRow>> expected_;
  std::optional<std::vector<RelationRow>> relations_;
  std::map<std::uint32_t, std::shared_ptr<const ir::formats::GraphFile>> graph_files_;
  std::optional<std::map<std::uint32_t, std::vector<std::size_t>>> local_;
  std::map<std::uint32_t, std::vector<GraphNode>> graphs_;
  std::map<std::uint32_t, std::vector<std::string>> sums_;
  std::map<std::uint32_t, StoredDevice> devices_;
};

/// Whether a file is a results file of a version known here.
bool is_results_file(const std::filesystem::path& path);

}  // namespace plumb::parity::results
