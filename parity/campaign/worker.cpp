// Takes tasks, the longest first; runs them, gives back what it cannot finish, and retires a device that fails.
#include "parity/campaign/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/interruption.hpp"

namespace plumb::parity::campaign {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_finish{30};
constexpr std::size_t failures_that_retire = 3;

class Worker {
 public:
  Worker(Queue& queue, const WorkerOptions& options) : queue_(queue), options_(options) {}

  Worked work();

 private:
  /// The outcome of a look through all tasks.
  struct Look {
    bool is_anything_left = false;  ///< for this worker, now or later
    bool is_any_held = false;       ///< others are at work on some of it
    bool is_for_others = false;     ///< something is left that this worker does not take
    bool has_run = false;
  };

  bool is_to_stop() const { return options_.is_stopped() || (options_.until && Clock::now() >= *options_.until); }
  bool fits(const Task& task) const;
  Look look(bool failed_ones);
  void run(const Task& task, const Claim& claim);
  void take_failure(const Task& task, const Attempt& attempt);
  void note(const Task& task, const Attempt& attempt, double seconds) const;
  bool has_retired() const { return !options_.device.empty() && queue_.is_retired(options_.device); }
  void wait() const;
  void read_again();

  Queue& queue_;
  const WorkerOptions& options_;
  std::vector<Task> tasks_;
  std::optional<fs::file_time_type> read_at_;
  std::set<std::string> over_;         ///< ids of tasks that need no second look
  std::set<std::string> failed_here_;  ///< ids
  std::vector<std::string> in_a_row_;  ///< tasks at which the device failed since the last one that was done
  Rates rates_;
  Worked worked_;
};

/// Whether a task may be begun: it is not expected to be given back.
bool Worker::fits(const Task& task) const {
  const auto seconds = rates_.seconds_of(task);
  if (!options_.until || !seconds) return true;
  return Clock::now() + std::chrono::duration<double>(*seconds) < *options_.until + time_to_finish;
}

/// Planning once more may have added tasks.
void Worker::read_again() {
  std::error_code none;
  const auto time = fs::last_write_time(list_file(queue_.folder()), none);
  if (read_at_ && *read_at_ == time) return;
  read_at_ = time;
  tasks_ = read_tasks(queue_.folder()).tasks;
}

Worker::Look Worker::look(bool failed_ones) {
  Look look;
  for (const Task& task : tasks_) {
    if (over_.contains(task.id)) continue;
    if (is_to_stop() || has_retired()) return look;
    if (queue_.is_over(task)) {
      over_.insert(task.id);
      continue;
    }
    if (!options_.takes(task)) {
      look.is_for_others = true;
      continue;
    }
    if (!fits(task)) continue;
    look.is_anything_left = true;
    if (failed_here_.contains(task.id) != failed_ones) continue;
    const auto claim = queue_.claim(task);
    if (!claim) {
      look.is_any_held |= !queue_.is_over(task);
      continue;
    }
    run(task, *claim);
    look.has_run = true;
    if (failed_ones) return look;
  }
  return look;
}

void Worker::run(const Task& task, const Claim& claim) {
  const auto begin = Clock::now();
  const auto expected = rates_.seconds_of(task);
  std::optional<Clock::time_point> deadline;
  const auto is_to_end = [&] {
    if (!deadline && is_to_stop()) {
      const std::chrono::duration<double> spent = Clock::now() - begin, all(expected.value_or(0));
      const bool ends_soon = expected && all - spent <= time_to_finish;
      deadline = Clock::now() + (ends_soon ? time_to_finish : std::chrono::seconds(0));
    }
    return deadline && Clock::now() >= *deadline;
  };
  // Interrupted, it gives the task back, and nobody else would know whose its files are.
  const ir::files::LastWord last_word([&] {
    queue_.clean(task, queue_.worker());
    return std::string();
  });
  Attempt attempt;
  try {
    attempt = options_.run(task, is_to_end);
  } catch (...) {
    queue_.clean(task, queue_.worker());
    throw;
  }
  // Whoever took the task over has cleaned up, and so made it fail here.
  if (attempt.end == Attempt::End::failed && !claim.is_ours()) attempt.end = Attempt::End::released;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (attempt.end == Attempt::End::done) {
    if (!task.devices.empty()) in_a_row_.clear();
    for (const std::string& ending : attempt.beside)
      ::link(queue_.making(task, ending).c_str(), queue_.beside_done(task, ending).c_str());
    const bool is_ours = queue_.finish(task, attempt.made);
    ++(is_ours ? worked_.done : worked_.late);
    if (is_ours) rates_.add(task.kind, task.cost, seconds);
    options_.say(fmt::format("{}: {}, {:.1f} s", task.text(), is_ours ? "done" : "another worker did it", seconds));
    if (is_ours) note(task, attempt, seconds);
  } else if (attempt.end == Attempt::End::failed) {
    take_failure(task, attempt);
    note(task, attempt, seconds);
  } else {
    options_.say(fmt::format("{}: given back", task.text()));
  }
  queue_.clean(task, queue_.worker());
}

void Worker::take_failure(const Task& task, const Attempt& attempt) {
  failed_here_.insert(task.id);
  ++worked_.failed;
  // The last try is the task's result, where there is anything of it: an error of its case.
  const auto before = queue_.failures(task).size();
  if (before >= task.retries && !attempt.made.empty()) queue_.finish(task, attempt.made);
  const unsigned number = queue_.fail(
      task, {.worker = queue_.worker(), .device = options_.device, .how = attempt.how, .output = attempt.output});
  options_.say(fmt::format("{}: {} (attempt {} of {})", task.text(), attempt.how, number, task.retries + 1));
  if (options_.device.empty() || task.devices.empty()) return;
  if (!std::ranges::count(in_a_row_, task.id)) in_a_row_.push_back(task.id);
  if (in_a_row_.size() < failures_that_retire) return;
  queue_.retire(options_.device,
                fmt::format("failed at {} tasks in a row, the last with: {}", in_a_row_.size(), attempt.how));
}

/// Adds a line to what this worker has done, which tells how long tasks take.
void Worker::note(const Task& task, const Attempt& attempt, double seconds) const {
  const nlohmann::json made = {{"id", task.id},
                               {"kind", ir::enum_name(task.kind)},
                               {"is_done", attempt.end == Attempt::End::done},
                               {"exit", attempt.exit},
                               {"cost", task.cost},
                               {"seconds", seconds},
                               {"device", options_.device}};
  const std::string line = made.dump() + '\n';
  const fs::path path = queue_.folder() / "workers" / (queue_.worker() + ".jsonl");
  const ir::files::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  // A line that is missing costs an estimate alone.
  if (file) [[maybe_unused]]
    const auto count = ::write(file.number(), line.data(), line.size());
}

void Worker::wait() const {
  constexpr std::chrono::milliseconds step{50};
  for (const auto end = Clock::now() + options_.poll; Clock::now() < end && !is_to_stop();)
    std::this_thread::sleep_for(std::min(step, options_.poll));
}

Worked Worker::work() {
  while (true) {
    read_again();
    Look found = look(false);
    // One that failed here is better tried by others, as long as there are any.
    if (!found.has_run && !found.is_any_held && found.is_anything_left) found.has_run = look(true).has_run;
    if (has_retired()) worked_.end = Worked::End::retired;
    if (is_to_stop()) worked_.end = Worked::End::stopped;
    if (has_retired() || is_to_stop()) return worked_;
    if (found.is_anything_left || found.has_run) {
      if (!found.has_run) wait();
      continue;
    }
    const bool is_all = over_.size() == tasks_.size();
    if (!is_all) worked_.end = found.is_for_others ? Worked::End::not_for_us : Worked::End::stopped;
    return worked_;
  }
}

}  // namespace

Worked work(Queue& queue, const WorkerOptions& options) { return Worker(queue, options).work(); }

void Rates::add(Kind kind, double cost, double seconds) {
  if (cost <= 0 || seconds <= 0) return;
  auto& rates = rates_[kind];
  const double rate = cost / seconds;
  rates.insert(std::ranges::lower_bound(rates, rate), rate);
}

std::optional<double> Rates::seconds_of(const Task& task) const {
  const auto found = rates_.find(task.kind);
  if (found == rates_.end() || task.cost <= 0) return std::nullopt;
  return task.cost / found->second[found->second.size() / 2];
}

}  // namespace plumb::parity::campaign
