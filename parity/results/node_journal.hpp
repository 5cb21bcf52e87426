#pragma once

// The nodes of a run that is not recorded yet, in a file beside the results file.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/files/descriptor.hpp"
#include "parity/cases/kept_nodes.hpp"

namespace plumb::parity::results {

/// A start of the program: another one goes on with its nodes where all of this is the same.
struct Start {
  std::string commit = {}, device = {}, driver = {};
  std::string command_line = {};  ///< some of its words must be the same
};

/// A run that was begun, and the nodes of it that were judged, by number.
struct UnfinishedRun {
  Start start = {};
  cases::Identity identity = {};
  std::string policy = {};  ///< its text; "" without one
  std::map<std::size_t, cases::KeptNode> nodes = {};
};

/// Appends each node of a run, as it is judged, to NAME.part.nodes, until the run is recorded in NAME.part. An entry is
/// as long as it says and has the hash that it says, or it is none: a process that is killed at any moment leaves all
/// nodes that it kept. The file is made with its first entry, and never outlives the last run in it.
class NodeJournal final : public cases::KeptNodes {
 public:
  static std::filesystem::path beside(const std::filesystem::path& part);
  /// The runs in a file, up to the first entry that is not whole; none where there is no such file.
  static std::vector<UnfinishedRun> read(const std::filesystem::path& path);

  /// Replaces whatever has the name by these runs, of an earlier start.
  NodeJournal(std::filesystem::path path, Start start, std::vector<UnfinishedRun> earlier);
  ~NodeJournal() override;
  NodeJournal(const NodeJournal&) = delete;
  NodeJournal& operator=(const NodeJournal&) = delete;

  std::map<std::size_t, cases::KeptNode> begin(const cases::Identity& identity, const std::string& policy) override;
  void keep(std::size_t n, const cases::KeptNode& node) override;

  /// The run that began last is recorded: its nodes are not wanted any more.
  void end_run();
  /// How many nodes this start kept of the run that began last.
  std::size_t kept() const { return kept_; }
  /// Removes the file where no run is in it, or whatever is.
  void remove_empty();
  void remove();

 private:
  void open(const std::filesystem::path& path);
  void write(std::string_view text);
  void append(char kind, const std::string& bytes);
  void append_begin(const UnfinishedRun& run);
  void rewrite();

  const std::filesystem::path path_;
  const Start start_;
  std::vector<UnfinishedRun> earlier_;  ///< in the file, and not recorded since
  UnfinishedRun current_;               ///< without its nodes
  std::size_t kept_ = 0;
  ir::files::Descriptor file_;
};

}  // namespace plumb::parity::results
