#pragma once

// Runs that an earlier start of the program recorded before it was cut off, or but for those that ended in an error.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/error.hpp"
#include "parity/cases/listed/sharding.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/profile/device.hpp"
#include "parity/results/merge/run_content.hpp"
#include "parity/results/node_journal.hpp"

namespace plumb::parity::results {

/// An earlier file is not to be gone on with. `reason` is the message without the name of the file.
class NotTheSame : public ir::Error {
 public:
  NotTheSame(const std::string& file, std::string why) : Error(file + ": " + why), reason_(std::move(why)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// The earlier file of an output. Opened, it stays what it is, whatever takes its name.
class Resumption {
 public:
  /// Opens NAME.part or, where nothing was recorded in that, NAME. Throws Error where it is no results file of version
  /// 2, or is being written.
  explicit Resumption(const std::filesystem::path& output);

  /// Throws Error, with the difference, where a run was not made by this program and on this device, which may be
  /// unknown, or an unfinished start had another share of the cases.
  void require_same(const profile::Device* device, const cases::Shard& shard, const std::string& partition);

  /// Throws NotTheSame where none of the runs that are kept was made on this device, which may be one of several, or
  /// where these runs were made on another one than all of them.
  void require_device(const profile::Device& device);
  void require_device_of(RunContent& from, const std::vector<const Run*>& runs);

  /// Throws NotTheSame where a run of this name is the next one and what was cut off is no other seed of that file, but
  /// other options, another model or another policy, whose text this is.
  void require_same_run(const cases::Identity& identity, const std::string& policy) const;

  /// The command lines of the starts that made the runs that are kept, or nodes of one that was cut off.
  std::set<std::string> command_lines();

  /// Writes a results file of the runs that are kept, whose unfinished starts are said to be gone on with.
  void write_kept(const std::filesystem::path& path, const std::vector<std::string>& argv);

  /// A run of that subject and those options that is kept; each is found once. nullptr where there is none.
  const Run* take(const cases::Identity& identity);
  /// That run as verify had it, with the text of the policy that judged it.
  cases::CaseResult case_of(const Run& run);
  /// Whether the run of that uuid is kept.
  bool keeps(const cases::Uuid& uuid) const { return uuids_.contains(uuid); }
  /// The file; to be asked for where there are runs.
  RunContent& content() { return content_.value(); }

  const std::filesystem::path& path() const { return path_; }
  std::size_t runs() const { return kept_.size(); }
  /// Runs that were cut off, with the nodes that were judged.
  const std::vector<UnfinishedRun>& unfinished() const { return unfinished_; }

 private:
  void require_kept_device(const std::string& device);

  const std::filesystem::path path_;  ///< empty: there is no earlier file
  std::optional<RunContent> content_;
  std::vector<const Run*> kept_;
  std::vector<UnfinishedRun> unfinished_;
  std::set<cases::Uuid> uuids_;  ///< those of kept_
  std::multimap<std::string, const Run*> by_key_;
};

}  // namespace plumb::parity::results
