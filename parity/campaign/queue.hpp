#pragma once

// The folder of a campaign as its queue: who has which task, and what is done.
//
//   tasks.jsonl             what there is to do (task.hpp)
//   claims/ID               somebody runs the task: a counter that grows, and a name
//   making/ID.WORKER.*      what that makes of it
//   done/ID.h5, ID.json     a task that is done
//   failed/ID.N.json        the N-th worker whose device, or process, failed at it
//   devices/NAME.retired    a device that failed at one task after the other
//   workers/WORKER.jsonl    what a worker has done
//
// All of it rests on three things that file systems do as a whole, also those of networks: to make a file that must not
// be there yet, to give a file a second name that must not be there yet, and to rename one. No clocks are compared.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ir/files/descriptor.hpp"
#include "ir/files/interruption.hpp"
#include "parity/campaign/task.hpp"

namespace plumb::parity::campaign {

/// A task that is ours. While it lives, its counter grows; then others may have the task.
class Claim {
 public:
  /// Takes a file that was just made, which has nothing yet; the counter grows once in this time. Throws Error where it
  /// cannot be written.
  Claim(std::filesystem::path path, ir::files::Descriptor file, std::string worker, std::chrono::milliseconds every);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Whether nobody has taken it over, as is done to one whose worker is stopped or cut off from the folder.
  bool is_ours() const;

 private:
  void beat(std::chrono::milliseconds every);
  void release();

  const std::filesystem::path path_;
  const ir::files::Descriptor file_;
  const std::string worker_;
  std::uint64_t counter_ = 0;
  bool is_over_ = false;
  std::mutex mutex_;
  std::condition_variable over_;
  std::optional<ir::files::LastWord> last_word_;
  std::jthread beating_;
};

/// How a task went wrong, as failed/ keeps it.
struct Failure {
  std::string worker = {}, device = {};
  std::string how = {};     ///< "the device failed (exit code 3)"
  std::string output = {};  ///< the last that it said
};

class Queue {
 public:
  /// `worker`: a name that no other one has; "" of who only looks. A claim whose counter stands still for `lost_after`
  /// of our clock counts as nobody's.
  Queue(std::filesystem::path folder, std::string worker, std::chrono::milliseconds lost_after);

  /// Makes the folders that are not there yet, which a worker needs. Throws Error where they cannot be made.
  void make_folders() const;

  const std::filesystem::path& folder() const { return folder_; }
  const std::string& worker() const { return worker_; }

  /// Whether there is nothing left to do of it: it is done, or failed as often as it may.
  bool is_over(const Task& task) const;
  /// Whether this worker failed at it.
  bool has_failed_here(const Task& task) const;

  /// The task, unless somebody has it or it is over. Throws Error where the folder cannot be written to.
  std::unique_ptr<Claim> claim(const Task& task);

  /// A name for a file that a task makes, "making/ID.WORKER" and an ending.
  std::filesystem::path making(const Task& task, const std::string& ending) const;
  /// Where a task that is done has its results, and where what it made beside them goes.
  std::filesystem::path done(const Task& task) const;
  std::filesystem::path beside_done(const Task& task, const std::string& ending) const;

  /// Puts the finished results of a task in their place, which is done whole or not at all; false where they are
  /// nobody's any more, or another worker was faster. They are gone from where they were. Throws Error where neither
  /// can be.
  bool finish(const Task& task, const std::filesystem::path& made);

  /// Notes that a task failed; how many did.
  unsigned fail(const Task& task, const Failure& failure);
  std::vector<Failure> failures(const Task& task) const;

  bool is_retired(const std::string& device) const;
  void retire(const std::string& device, const std::string& why);

  /// Takes away what a worker left that had a task and makes nothing of it.
  void clean(const Task& task, const std::string& worker) const;

 private:
  struct Seen {
    std::string text = {};
    std::chrono::steady_clock::time_point since = {};
  };

  bool is_lost(const Task& task);
  bool take_over(const Task& task);
  std::filesystem::path failed(const Task& task, std::size_t number) const;
  void write_once(const std::filesystem::path& path, const std::string& text);

  const std::filesystem::path folder_;
  const std::string worker_;
  const std::chrono::milliseconds lost_after_;
  std::map<std::string, Seen> seen_;  ///< claims of others, by task
};

/// The worker that a claim's text names; "" where it names none yet.
std::string worker_of_claim(const std::string& text);

/// The name of this host, fit to be part of a file's name.
std::string host_name();

/// A name for this process that no other one has: host, process, and a random number.
std::string new_worker();

}  // namespace plumb::parity::campaign
