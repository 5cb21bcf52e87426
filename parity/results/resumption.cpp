// Finds the runs of an earlier file that need not be made again.
#include "parity/results/resumption.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "ir/files/file_kind.hpp"
#include "ir/files/file_lock.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/merge/merge.hpp"
#include "parity/results/record_parts.hpp"
#include "parity/results/stored_case.hpp"

namespace plumb::parity::results {
namespace {

namespace fs = std::filesystem;

/// A process that is killed before its first case leaves a file that is not HDF5 yet.
fs::path earlier_file(const fs::path& output) {
  fs::path part = output;
  part += ".part";
  std::error_code none;
  for (const fs::path& path : {part, output}) {
    if (!fs::exists(path, none)) continue;
    ir::require(!ir::files::is_being_written(path), path.string(), ": is being written by another process");
    if (path == part && ir::files::kind_of_file(path) != ir::files::FileKind::hdf5) continue;
    if (fs::file_size(path, none) != 0) return path;
  }
  return {};
}

/// A device with its driver; "no device" where nothing ran on one.
std::string with_driver(const std::string& uuid, const std::string& driver) {
  return uuid.empty() ? "no device" : uuid + ", " + driver;
}

std::string device_of(ResultsFile& file, const Run& run) {
  const std::string uuid = uuid_in(file.name(run.device_id));
  return with_driver(uuid, uuid.empty() ? "" : file.device(run).driver_info);
}

std::string key_of_run(const cases::Identity& identity) {
  return key_of(core::text_id(identity.subject), core::text_id(identity.options));
}

/// The first line "name=value" in which texts of such lines differ, of both; nothing where they do not.
using Difference = std::pair<std::string, std::string>;
std::optional<Difference> difference(const std::string& one, const std::string& other) {
  std::istringstream of_one(one), of_other(other);
  for (Difference lines; std::getline(of_one, lines.first) && std::getline(of_other, lines.second);)
    if (lines.first != lines.second) return lines;
  return std::nullopt;
}

/// The settings of a run that are those of all runs of its file by one command line: not its seed, step and kernels.
std::string common_settings(const std::string& variant) {
  constexpr std::array own = {"seed=", "param_seed=", "step=", "alternative="};
  std::istringstream words(variant);
  std::string text;
  for (std::string word; words >> word;)
    if (std::ranges::none_of(own, [&](const char* name) { return word.starts_with(name); })) text += ' ' + word;
  return text;
}

/// How a run differs from another one of its file that the same command line would not have made; nothing where it may
/// have.
std::optional<Difference> difference(const UnfinishedRun& was, const cases::Identity& is, const std::string& policy) {
  const auto name_of = [](const std::string& text) { return text.empty() ? std::string("none") : core::text_id(text); };
  Difference settings = {common_settings(was.identity.variant), common_settings(is.variant)};
  if (settings.first != settings.second) return Difference{"settings:" + settings.first, "settings:" + settings.second};
  if (was.identity.variant != is.variant) return std::nullopt;
  auto found = difference(was.identity.subject, is.subject);
  if (!found) found = difference(was.identity.options, is.options);
  if (!found && was.policy != policy) found = {"policy=" + name_of(was.policy), "policy=" + name_of(policy)};
  return found;
}

}  // namespace

Resumption::Resumption(const fs::path& output) : path_(earlier_file(output)) {
  if (path_.empty()) return;
  content_.emplace(path_);
  ResultsFile& file = content_->file;
  for (const Run& run : file.runs()) {
    if (known(run.verdict, core::Verdict::error) == core::Verdict::error) continue;
    kept_.push_back(&run);
    uuids_.insert(file.uuid(run));
    if (run.is_named()) by_key_.emplace(file.key(run), &run);
  }
  unfinished_ = NodeJournal::read(NodeJournal::beside(path_));
  std::erase_if(unfinished_, [&](const UnfinishedRun& run) { return by_key_.contains(key_of_run(run.identity)); });
}

void Resumption::require_same(const profile::Device* device, const cases::Shard& shard, const std::string& partition) {
  if (!content_) return;
  ResultsFile& file = content_->file;
  const auto require = [&](const char* what, const std::string& theirs, const std::string& ours) {
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    ir::require(theirs == ours, path_.string(), ": was recorded with another ", what, ", ", shown(theirs), "; it is ",
                shown(ours), " now, and --resume goes on with the same one");
  };
  for (const Run* const run : kept_) {
    if (!run->is_named()) continue;
    require("commit", file.name(file.launches()[run->launch].commit_id), std::string(core::build_info().git_commit));
    if (device == nullptr) continue;
    require("device", uuid_in(file.name(run->device_id)), device->uuid);
    if (!device->uuid.empty()) require("driver", file.device(*run).driver_info, device->driver_info);
  }
  for (const UnfinishedRun& run : unfinished_) {
    require("commit", run.start.commit, std::string(core::build_info().git_commit));
    if (device == nullptr) continue;
    require("device", run.start.device, device->uuid);
    require("driver", run.start.driver, device->driver_info);
  }
  for (const Launch& launch : file.launches()) {
    if (known(launch.end, LaunchEnd::unknown) != LaunchEnd::cut_off) continue;
    const cases::Shard its{.index = launch.shard, .count = launch.shards};
    require("share", its.text(), shard.text());
    require("list of cases to share out", file.name(launch.partition_id), partition);
  }
}

void Resumption::require_kept_device(const std::string& device) {
  if (!content_) return;
  std::set<std::string> kept;
  for (const Run* const run : kept_)
    if (run->is_named()) kept.insert(device_of(content_->file, *run));
  if (kept.empty() || kept.contains(device)) return;
  throw NotTheSame(path_.string(), "was recorded on another device, " + *kept.begin() + "; it is " + device +
                                       " now, and --resume goes on with the same one");
}

void Resumption::require_device(const profile::Device& device) {
  require_kept_device(with_driver(device.uuid, device.driver_info));
}

void Resumption::require_device_of(RunContent& from, const std::vector<const Run*>& runs) {
  for (const Run* const run : runs) require_kept_device(device_of(from.file, *run));
}

void Resumption::require_same_run(const cases::Identity& identity, const std::string& policy) const {
  for (const UnfinishedRun& run : unfinished_) {
    if (run.identity.path != identity.path) continue;
    if (const auto differs = difference(run, identity, policy))
      throw NotTheSame(path_.string(), run.identity.id() + " was cut off with " + differs->first + "; it is " +
                                           differs->second + " now, and --resume goes on with the same one");
  }
}

std::set<std::string> Resumption::command_lines() {
  std::set<std::string> lines;
  for (const UnfinishedRun& run : unfinished_) lines.insert(run.start.command_line);
  for (const Run* const run : kept_)
    if (run->is_named()) lines.insert(content_->file.name(content_->file.launches()[run->launch].argv_id));
  return lines;
}

void Resumption::write_kept(const fs::path& path, const std::vector<std::string>& argv) {
  ir::hdf5::Store store = ir::hdf5::Store::create(path);
  make_file(store, argv);
  RunCopier copier(store);
  if (content_) copier.add(*content_, kept_);
  for (Launch& launch : copier.launches())
    if (known(launch.end, LaunchEnd::unknown) == LaunchEnd::cut_off) launch.end = LaunchEnd::resumed;
  copier.finish();
  store.close();
}

const Run* Resumption::take(const cases::Identity& identity) {
  const auto found = by_key_.find(key_of_run(identity));
  if (found == by_key_.end()) return nullptr;
  const Run* const run = found->second;
  by_key_.erase(found);
  return run;
}

cases::CaseResult Resumption::case_of(const Run& run) {
  ResultsFile& file = content_->file;
  cases::CaseResult result = stored_case(file, run);
  if (run.policy_id != 0) result.judged_by.text = file.text_of(file.policy_path(run));
  return result;
}

}  // namespace plumb::parity::results
