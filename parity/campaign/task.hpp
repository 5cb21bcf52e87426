#pragma once

// The tasks of a campaign, and the file that lists them.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::campaign {

/// The command that a task runs.
enum class Kind { verify, power, fuzz, conformance };

constexpr auto enum_names(Kind) { return std::array<std::string_view, 4>{"verify", "power", "fuzz", "conformance"}; }

/// A part of a campaign that one process runs.
struct Task {
  std::string id = {};  ///< id_of
  Kind kind = Kind::verify;
  std::string path = {};                  ///< its graph, or the folder of a suite; "" of fuzz
  std::vector<std::string> flags = {};    ///< "--dtype=f16", with those of its seeds or numbers of cases
  std::vector<std::string> files = {};    ///< files that it reads, of whose content its id is made
  std::string content = {};               ///< hash_of these, as they were when it was planned
  std::vector<std::string> devices = {};  ///< globs, of which the name of its device matches one; empty: needs none
  bool counts = false;                    ///< `--counts` of verify is kept, too

  // How it is run, which is no part of its id.
  unsigned retries = 2;   ///< workers that try it once more where the device failed
  double timeout = 1200;  ///< in seconds
  double cost = 0;        ///< operations, or what else is in proportion to its time, among tasks of its kind

  /// "verify models/a.onnx --dtype=f16 --seed=11 --seeds=10"
  std::string text() const;
};

/// sha256 of what a task is, other than how it is run.
std::string id_of(const Task& task);

/// A hash of the content of files. One that is larger than 256 MiB counts with its size alone. Throws Error, naming it,
/// where one cannot be read.
std::string hash_of(const std::vector<std::string>& files);

/// The list in a campaign's folder.
struct TaskList {
  std::filesystem::path folder = {};  ///< from which paths of tasks go, as seen from the campaign's folder
  std::string plan = {};              ///< the name of the file that it was planned by
  std::vector<Task> tasks = {};       ///< by cost, the most expensive first, and then by id
};

/// The file of a campaign's folder that has its tasks: JSON, one a line behind a first one.
std::filesystem::path list_file(const std::filesystem::path& folder);

/// Throws Error, naming the file and the line, where the folder is none of a campaign, or a line is no task.
TaskList read_tasks(const std::filesystem::path& folder);

/// Writes the list whole.
void write_tasks(const std::filesystem::path& folder, const TaskList& list);

}  // namespace plumb::parity::campaign
