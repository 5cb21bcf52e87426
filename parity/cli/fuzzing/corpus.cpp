// Reads and writes the folder of `plumb fuzz`.
#include "parity/cli/fuzzing/corpus.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "ir/files/output_file.hpp"
#include "ir/files/read_file.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/fuzzing/graph_texts.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr std::string_view own_folders[] = {"cases", "found"};

void make_folder(const fs::path& folder) { flags::make_folder("--corpus", folder); }

/// The number in a line of this key; nothing of another's, and of one that was cut off.
std::optional<std::uint64_t> number_in(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || std::ranges::count(line, '\t') != 4) return std::nullopt;
  line.remove_prefix(key.size());
  if (!line.starts_with('\t')) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + 1, line.data() + line.size(), number);
  return error == std::errc{} && *end == '\t' ? std::optional(number) : std::nullopt;
}

void append(const ir::files::Descriptor& file, std::string_view text, const fs::path& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    ir::require(written > 0, name.string(), ": ", std::generic_category().message(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Corpus::Corpus(fs::path folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {
  std::error_code none;
  ir::require(!fs::exists(folder_, none) || fs::is_directory(folder_, none), "--corpus ", folder_.string(),
              ": is no folder");
  make_folder(folder_);
  for (const std::string_view name : own_folders) make_folder(folder_ / name);
  const fs::path log = folder_ / "tried.tsv";
  tried_file_ = ir::files::Descriptor(::open(log.c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0666));
  ir::require(bool(tried_file_), log.string(), ": ", std::generic_category().message(errno));
  ir::require(::flock(tried_file_.number(), LOCK_EX | LOCK_NB) == 0, log.string(),
              ": another process fuzzes with this corpus");
  const std::string text = ir::files::read_named_text(log, most_bytes);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto number = number_in(std::string_view(text).substr(at, end - at), key_)) tried_.insert(*number);
    at = end + 1;
  }
  if (!text.empty() && text.back() != '\n') append(tried_file_, "\n", log);  // an earlier process was killed
  const fs::path table = folder_ / "coverage.tsv";
  if (!fs::exists(table, none)) return;
  try {
    coverage_.read(ir::files::read_text(table, most_bytes));
  } catch (const ir::Error& error) {
    ir::fail(ir::files::with_name(table, error.what()));
  }
}

void Corpus::add_tried(const std::vector<Tried>& lines) {
  std::string text;
  for (const Tried& one : lines) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", key_, one.number, one.name, one.verdict, one.signature);
    tried_.insert(one.number);
  }
  append(tried_file_, text, folder_ / "tried.tsv");
}

void Corpus::write_coverage() const { ir::files::write_text(folder_ / "coverage.tsv", coverage_.to_text()); }

fs::path Corpus::keep_case(const std::string& text) const {
  const fs::path file = folder_ / "cases" / (core::sha256(text).substr(0, 16) + ".json");
  show::write_graph_text(file, text);
  return file;
}

fs::path Corpus::batch(const std::string& what) const {
  const fs::path folder = folder_ / "batch", label = folder / "what";
  std::error_code none;
  if (fs::exists(label, none) && ir::files::read_text(label, most_bytes) == what) return folder;
  end_batch();
  make_folder(folder);
  ir::files::write_text(label, what);
  return folder;
}

void Corpus::end_batch() const {
  std::error_code none;
  fs::remove_all(folder_ / "batch", none);
}

fs::path Corpus::found(const std::string& signature) const { return folder_ / "found" / signature; }

std::string folder_name(const studies::reduce::Signature& signature) {
  constexpr std::size_t longest = 80;
  std::string name;
  for (const char c : signature.kind + (signature.op.empty() ? "" : '.' + signature.op)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (is_plain || (!name.empty() && name.back() != '_')) name += is_plain ? c : '_';
  }
  return name.substr(0, longest);
}

}  // namespace plumb::parity::cli
