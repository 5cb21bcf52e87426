// Writes and reads the nodes of unfinished runs, an entry each.
#include "parity/results/node_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "ir/files/scratch_file.hpp"
#include "ir/raw/hash.hpp"
#include "parity/results/kept_bytes.hpp"

namespace plumb::parity::results {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "plumb.nodes/1\n";
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
constexpr char begins = 'r', node_of_run = 'n';

/// Before each entry: its length, and its hash.
using Head = std::array<std::uint64_t, 2>;

std::uint64_t hash_of_entry(std::string_view entry) { return ir::raw::hash_bytes(std::as_bytes(std::span(entry))); }

/// The next whole entry, which is taken off the bytes; "" where there is none.
std::string_view next_entry(std::string_view& bytes) {
  Head head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(head.data(), bytes.data(), sizeof head);
  const std::string_view rest = bytes.substr(sizeof head);
  if (head[0] > rest.size() || hash_of_entry(rest.substr(0, head[0])) != head[1]) return {};
  bytes = rest.substr(head[0]);
  return rest.substr(0, head[0]);
}

std::vector<std::string> texts_of(const UnfinishedRun& run) {
  const auto& [commit, device, driver, command_line] = run.start;
  const auto& [path, variant, subject, options] = run.identity;
  return {commit, device, driver, command_line, path, variant, subject, options, run.policy};
}

UnfinishedRun run_of(const std::vector<std::string>& texts) {
  constexpr std::size_t count = 9;
  ir::require(texts.size() == count, "a run begins with ", texts.size(), " texts");
  return {.start = {texts[0], texts[1], texts[2], texts[3]},
          .identity = {texts[4], texts[5], texts[6], texts[7]},
          .policy = texts[8]};
}

/// Whether both are one run, which may have been begun more than once.
bool is_same(const cases::Identity& one, const cases::Identity& other) {
  return one.id() == other.id() && one.subject == other.subject && one.options == other.options;
}

}  // namespace

fs::path NodeJournal::beside(const fs::path& part) {
  fs::path path = part;
  return path += ".nodes";
}

std::vector<UnfinishedRun> NodeJournal::read(const fs::path& path) {
  std::vector<UnfinishedRun> runs;
  std::error_code none;
  if (!fs::exists(path, none)) return runs;
  const std::string text = ir::files::read_named_text(path, most_bytes);
  std::string_view left = text;
  if (!left.starts_with(magic)) return runs;
  left.remove_prefix(magic.size());
  std::size_t at = 0;
  for (std::string_view entry = next_entry(left); !entry.empty(); entry = next_entry(left)) {
    const std::string_view bytes = entry.substr(1);
    if (entry.front() == begins) {
      UnfinishedRun run = run_of(texts_in(bytes));
      const auto found = std::ranges::find_if(
          runs, [&](const UnfinishedRun& earlier) { return is_same(earlier.identity, run.identity); });
      at = static_cast<std::size_t>(found - runs.begin());
      if (found == runs.end()) runs.push_back(std::move(run));
    } else if (entry.front() == node_of_run && at < runs.size()) {
      try {
        auto [n, node] = node_in(bytes);
        runs[at].nodes.insert_or_assign(n, std::move(node));
      } catch (const ir::Error&) {
        // Another version wrote it, with which nobody goes on.
      }
    }
  }
  return runs;
}

NodeJournal::NodeJournal(fs::path path, Start start, std::vector<UnfinishedRun> earlier)
    : path_(std::move(path)), start_(std::move(start)), earlier_(std::move(earlier)) {
  rewrite();
}

NodeJournal::~NodeJournal() { remove_empty(); }

void NodeJournal::open(const fs::path& path) {
  file_ = ir::files::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  ir::require(static_cast<bool>(file_), path.string(), ": cannot be written: ", std::strerror(errno));
  write(magic);
}

/// The file has the runs of earlier starts, and of this one none. Those are never half in it.
void NodeJournal::rewrite() {
  kept_ = 0;
  if (earlier_.empty()) return remove();
  fs::path next = path_;
  next += ".new";
  open(next);
  for (const UnfinishedRun& run : earlier_) {
    append_begin(run);
    for (const auto& [n, node] : run.nodes) append(node_of_run, bytes_of(n, node));
  }
  ir::require(::rename(next.c_str(), path_.c_str()) == 0, path_.string(),
              ": cannot be written: ", std::strerror(errno));
}

void NodeJournal::append_begin(const UnfinishedRun& run) { append(begins, bytes_of(texts_of(run))); }

void NodeJournal::append(char kind, const std::string& bytes) {
  const std::string entry = kind + bytes;
  const Head head = {entry.size(), hash_of_entry(entry)};
  std::string text(reinterpret_cast<const char*>(head.data()), sizeof head);
  text += entry;
  write(text);
}

void NodeJournal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw ir::files::NoRoom(ir::cat(path_.string(), ": cannot be written: ", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::map<std::size_t, cases::KeptNode> NodeJournal::begin(const cases::Identity& identity, const std::string& policy) {
  current_ = {.start = start_, .identity = identity, .policy = policy};
  kept_ = 0;
  for (const UnfinishedRun& run : earlier_)
    if (is_same(run.identity, identity)) return run.nodes;
  return {};
}

void NodeJournal::keep(std::size_t n, const cases::KeptNode& node) {
  if (!file_) open(path_);
  if (kept_ == 0) append_begin(current_);
  append(node_of_run, bytes_of(n, node));
  ++kept_;
}

void NodeJournal::end_run() {
  const std::size_t erased =
      std::erase_if(earlier_, [&](const UnfinishedRun& run) { return is_same(run.identity, current_.identity); });
  if (erased > 0 || kept_ > 0) rewrite();
}

void NodeJournal::remove_empty() {
  if (kept_ == 0 && earlier_.empty()) remove();
}

void NodeJournal::remove() {
  file_ = ir::files::Descriptor();
  kept_ = 0;
  ::unlink(path_.c_str());
}

}  // namespace plumb::parity::results
