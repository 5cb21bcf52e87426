// Claims tasks, takes over those of workers that are gone, and puts what is done in its place.
#include "parity/campaign/queue.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "parity/cases/identity.hpp"

namespace plumb::parity::campaign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t most_claim_bytes = 1 << 12, most_failure_bytes = 1 << 20;
constexpr int beats_until_lost = 6;

fs::path claim_of(const fs::path& folder, const Task& task) { return folder / "claims" / task.id; }

/// A claim as its worker writes it: always as long, so that it is written over as a whole.
std::string text_of_claim(std::uint64_t counter, const std::string& worker) {
  return fmt::format("{:020} {}\n", counter, worker);
}

/// "" of a claim that is gone.
std::string read_claim(const fs::path& path) try {
  return ir::files::read_text(path, most_claim_bytes);
} catch (const ir::Error&) {
  return "";
}

void write_all(int file, std::string_view text, const fs::path& path) {
  errno = EIO;  // a write that was cut short says nothing else
  const bool is_written = pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  ir::require(is_written, path.string(), ": cannot be written: ", std::strerror(errno));
}

/// Gives a file another name; what errno has to say where it cannot be, 0 where it was.
int link_to(const fs::path& from, const fs::path& to) { return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno; }

}  // namespace

Claim::Claim(fs::path path, ir::files::Descriptor file, std::string worker, std::chrono::milliseconds every)
    : path_(std::move(path)), file_(std::move(file)), worker_(std::move(worker)) {
  try {
    // Only what others are to see grow has to reach the disk, and that has time.
    write_all(file_.number(), text_of_claim(0, worker_), path_);
  } catch (const ir::Error&) {
    release();
    throw;
  }
  last_word_.emplace([this] {
    release();
    return std::string();
  });
  beating_ = std::jthread([this, every] { beat(every); });
}

Claim::~Claim() {
  last_word_.reset();
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  beating_.join();
  release();
}

void Claim::beat(std::chrono::milliseconds every) {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, every, [this] { return is_over_; })) {
    // One that cannot be written stands still, and others take the task: all that is lost is time.
    const std::string text = text_of_claim(++counter_, worker_);
    if (pwrite(file_.number(), text.data(), text.size(), 0) > 0) fdatasync(file_.number());
  }
}

bool Claim::is_ours() const {
  struct stat ours {
  }, there{};
  return fstat(file_.number(), &ours) == 0 && stat(path_.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

/// Another worker that takes it over in between loses its claim, and so at worst works in vain: what is done is put in
/// its place by one alone.
void Claim::release() {
  if (is_ours()) ::unlink(path_.c_str());
}

Queue::Queue(fs::path folder, std::string worker, std::chrono::milliseconds lost_after)
    : folder_(std::move(folder)), worker_(std::move(worker)), lost_after_(lost_after) {}

void Queue::make_folders() const {
  for (const char* const name : {"claims", "making", "done", "failed", "devices", "workers"}) {
    std::error_code problem;
    fs::create_directories(folder_ / name, problem);
    ir::require(!problem, (folder_ / name).string(), ": ", problem.message());
  }
}

fs::path Queue::making(const Task& task, const std::string& ending) const {
  return folder_ / "making" / (task.id + '.' + worker_ + ending);
}

fs::path Queue::beside_done(const Task& task, const std::string& ending) const {
  return folder_ / "done" / (task.id + ending);
}

fs::path Queue::done(const Task& task) const { return beside_done(task, task.kind == Kind::verify ? ".h5" : ".json"); }

fs::path Queue::failed(const Task& task, std::size_t number) const {
  return folder_ / "failed" / fmt::format("{}.{}.json", task.id, number);
}

bool Queue::is_over(const Task& task) const {
  std::error_code none;
  return fs::exists(done(task), none) || fs::exists(failed(task, std::size_t{task.retries} + 1), none);
}

bool Queue::has_failed_here(const Task& task) const {
  const auto all = failures(task);
  return std::ranges::any_of(all, [&](const Failure& one) { return one.worker == worker_; });
}

std::unique_ptr<Claim> Queue::claim(const Task& task) {
  const fs::path path = claim_of(folder_, task);
  for (bool is_first = true;; is_first = false) {
    ir::files::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file) {
      seen_.erase(task.id);
      auto made = std::make_unique<Claim>(path, std::move(file), worker_, lost_after_ / beats_until_lost);
      // Who had it may have done it before it was let go.
      if (is_over(task)) return nullptr;
      return made;
    }
    ir::require(errno == EEXIST, path.string(), ": cannot be made: ", std::strerror(errno));
    if (!is_first || !is_lost(task) || !take_over(task)) return nullptr;
  }
}

/// Whether the counter of somebody's claim has stood still for as long as is to be waited.
bool Queue::is_lost(const Task& task) {
  const auto now = std::chrono::steady_clock::now();
  const std::string text = read_claim(claim_of(folder_, task));
  const auto [seen, is_new] = seen_.try_emplace(task.id, Seen{text, now});
  if (is_new || seen->second.text != text) {
    seen->second = {text, now};
    return false;
  }
  return now - seen->second.since >= lost_after_;
}

/// Takes away a claim that was seen to stand still; whether it was this worker that did.
bool Queue::take_over(const Task& task) {
  const fs::path path = claim_of(folder_, task), ours = making(task, ".lost");
  const std::string text = seen_.at(task.id).text;
  seen_.erase(task.id);
  if (::rename(path.c_str(), ours.c_str()) != 0) return false;
  const bool is_the_one = read_claim(ours) == text;
  // Another worker was faster, and this is its claim, or the one that was taken for lost came back: it goes on.
  if (!is_the_one) link_to(ours, path);
  ::unlink(ours.c_str());
  if (is_the_one) clean(task, worker_of_claim(text));
  return is_the_one;
}

void Queue::clean(const Task& task, const std::string& worker) const {
  if (worker.empty()) return;
  const std::string begin = task.id + '.' + worker;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_ / "making", none))
    if (entry.path().filename().string().starts_with(begin)) fs::remove_all(entry.path(), none);
}

bool Queue::finish(const Task& task, const fs::path& made) {
  const int problem = link_to(made, done(task));
  ::unlink(made.c_str());
  // It is gone where the task was taken over, by whoever cleaned up.
  ir::require(problem == 0 || problem == EEXIST || problem == ENOENT, done(task).string(),
              ": cannot be given to what is done: ", std::strerror(problem));
  return problem == 0;
}

/// Writes a file under a name that nothing has; nothing where something has it. The name never has half a file.
void Queue::write_once(const fs::path& path, const std::string& text) {
  const fs::path made = folder_ / "making" / (path.filename().string() + '.' + worker_);
  {
    const ir::files::Descriptor file(::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    ir::require(static_cast<bool>(file), made.string(), ": cannot be made: ", std::strerror(errno));
    try {
      write_all(file.number(), text, made);
    } catch (const ir::Error&) {
      ::unlink(made.c_str());
      throw;
    }
  }
  const int problem = link_to(made, path);
  ::unlink(made.c_str());
  ir::require(problem == 0 || problem == EEXIST, path.string(), ": cannot be made: ", std::strerror(problem));
}

unsigned Queue::fail(const Task& task, const Failure& failure) {
  unsigned number = 1;
  std::error_code none;
  while (fs::exists(failed(task, number), none)) ++number;
  const json made = {
      {"worker", failure.worker}, {"device", failure.device}, {"how", failure.how}, {"output", failure.output}};
  write_once(failed(task, number), made.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
  return number;
}

std::vector<Failure> Queue::failures(const Task& task) const {
  std::vector<Failure> all;
  std::error_code none;
  for (fs::path path = failed(task, 1); fs::exists(path, none); path = failed(task, all.size() + 1)) try {
      const json made = json::parse(ir::files::read_text(path, most_failure_bytes));
      all.push_back({.worker = made.at("worker"),
                     .device = made.at("device"),
                     .how = made.at("how"),
                     .output = made.at("output")});
    } catch (const std::exception&) {
      all.push_back({.how = "what " + path.filename().string() + " says cannot be read"});
    }
  return all;
}

bool Queue::is_retired(const std::string& device) const {
  std::error_code none;
  return fs::exists(folder_ / "devices" / (device + ".retired"), none);
}

void Queue::retire(const std::string& device, const std::string& why) {
  write_once(folder_ / "devices" / (device + ".retired"), why + '\n');
}

std::string worker_of_claim(const std::string& text) {
  const auto blank = text.find(' ');
  if (blank == text.npos || !text.ends_with('\n')) return "";
  return text.substr(blank + 1, text.size() - blank - 2);
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  std::string name(host.data());
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '-';
  return name;
}

std::string new_worker() {
  return fmt::format("{}.{}.{}", host_name(), getpid(), cases::to_text(cases::new_uuid()).substr(0, 8));
}

}  // namespace plumb::parity::campaign
