// Writes a file so that its changes take effect all at once: new bytes at the end, old pages by way of a sealed copy.
#include "ir/hdf5/journaled_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ir/error.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::ir::hdf5 {
namespace {

/// The last bytes of a file with a journal: pages, each behind its number, and then this.
struct Seal {
  std::array<char, 16> magic = {};
  std::uint64_t pages = 0, size = 0, hash = 0;
};
constexpr std::array<char, 16> magic = {'p', 'l', 'u', 'm', 'b', '.', 'j', 'o',
                                        'u', 'r', 'n', 'a', 'l', '/', '1', '\n'};

[[noreturn]] void fail_to(const char* what) { fail("cannot ", what, ": ", std::strerror(errno)); }

std::uint64_t size_of(int file) {
  struct stat found {};
  if (fstat(file, &found) != 0) fail_to("be read");
  return static_cast<std::uint64_t>(found.st_size);
}

/// As many bytes as the file has from there.
std::size_t read_at(int file, std::uint64_t at, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to("be read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void write_at(int file, std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to("be written");
    at += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void cut(int file, std::uint64_t size) {
  while (ftruncate(file, static_cast<off_t>(size)) != 0)
    if (errno != EINTR) fail_to("be written");
}

/// The seal at the end of a file, if there is one and what it seals is whole; `body` is then that.
std::optional<Seal> seal_of(int file, std::size_t entry_bytes, std::vector<std::byte>& body) {
  Seal seal;
  const std::uint64_t size = size_of(file);
  if (size < sizeof seal) return std::nullopt;
  read_at(file, size - sizeof seal, std::as_writable_bytes(std::span(&seal, 1)));
  const std::uint64_t most = (size - sizeof seal) / entry_bytes;
  if (seal.magic != magic || seal.pages > most) return std::nullopt;
  body.resize(seal.pages * entry_bytes);
  const std::size_t found = read_at(file, size - sizeof seal - body.size(), body);
  const bool is_whole = found == body.size() && raw::hash_bytes(body, seal.size) == seal.hash;
  return is_whole ? std::optional(seal) : std::nullopt;
}

int flags_of(JournaledFile::Open how) {
  if (how == JournaledFile::Open::read) return O_RDONLY | O_CLOEXEC;
  return O_RDWR | O_CLOEXEC | (how == JournaledFile::Open::create ? O_CREAT | O_TRUNC : 0);
}

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

JournaledFile::JournaledFile(const std::filesystem::path& path, Open how)
    : file_(::open(path.c_str(), flags_of(how), 0666)) {
  if (!file_) fail_to("be opened");
  struct stat found {};
  if (::fstat(file_.number(), &found) != 0) fail_to("be looked at");
  identity_ = {found.st_dev, found.st_ino};
  size_ = committed_ = size_of(file_.number());
  load_journal();
  if (how != Open::read) commit();
}

bool JournaledFile::has_journal(const std::filesystem::path& path) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> body;
  return file && seal_of(file.number(), sizeof(std::uint64_t) + page_bytes, body).has_value();
}

void JournaledFile::load_journal() {
  constexpr std::size_t entry_bytes = sizeof(std::uint64_t) + page_bytes;
  std::vector<std::byte> body;
  const auto seal = seal_of(file_.number(), entry_bytes, body);
  if (!seal) return;
  for (std::size_t at = 0; at < body.size(); at += entry_bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, body.data() + at, sizeof number);
    // Pages that it never had are a stranger's; the next ones after the end cannot be wanted.
    require(number <= size_ / page_bytes, "has a journal of page ", number, ", and ", size_, " bytes");
    const auto page = std::span(body).subspan(at + sizeof number, page_bytes);
    pages_[number].assign(page.begin(), page.end());
  }
  size_ = seal->size;
}

JournaledFile::Page& JournaledFile::page(std::uint64_t number) {
  const auto [found, is_new] = pages_.try_emplace(number);
  if (is_new) {
    found->second.resize(page_bytes);
    read_at(file_.number(), number * page_bytes, found->second);
  }
  return found->second;
}

void JournaledFile::read(std::uint64_t at, std::span<std::byte> bytes) const {
  const std::size_t found = read_at(file_.number(), at, bytes);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(found), bytes.end(), std::byte{0});
  const std::uint64_t end = at + bytes.size();
  for (auto one = pages_.lower_bound(at / page_bytes); one != pages_.end() && one->first * page_bytes < end; ++one) {
    const std::uint64_t start = one->first * page_bytes;
    const std::uint64_t first = std::max(at, start), last = std::min(end, start + page_bytes);
    std::memcpy(bytes.data() + (first - at), one->second.data() + (first - start), last - first);
  }
}

void JournaledFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  const std::uint64_t kept = rounded_up(committed_, page_bytes);
  size_ = std::max(size_, at + bytes.size());
  while (!bytes.empty() && at < kept) {
    const std::uint64_t offset = at % page_bytes;
    const std::size_t count = std::min<std::size_t>(bytes.size(), page_bytes - offset);
    std::memcpy(page(at / page_bytes).data() + offset, bytes.data(), count);
    at += count;
    bytes = bytes.subspan(count);
  }
  write_at(file_.number(), at, bytes);
}

void JournaledFile::append_journal(std::uint64_t at) const {
  std::vector<std::byte> body;
  body.reserve(pages_.size() * (sizeof(std::uint64_t) + page_bytes) + sizeof(Seal));
  const auto add = [&](const void* data, std::size_t count) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    body.insert(body.end(), bytes, bytes + count);
  };
  for (const auto& [number, page] : pages_) {
    add(&number, sizeof number);
    add(page.data(), page.size());
  }
  const Seal seal{.magic = magic, .pages = pages_.size(), .size = size_, .hash = raw::hash_bytes(body, size_)};
  // The seal follows what it seals: whoever finds it finds all of it.
  write_at(file_.number(), at, body);
  write_at(file_.number(), at + body.size(), std::as_bytes(std::span(&seal, 1)));
}

void JournaledFile::seal() const {
  if (pages_.empty()) return;
  const std::uint64_t end = rounded_up(std::max(size_, committed_), page_bytes);
  cut(file_.number(), end);
  append_journal(end);
}

void JournaledFile::settle() {
  for (const auto& [number, page] : pages_) write_at(file_.number(), number * page_bytes, page);
  if (size_of(file_.number()) != size_) cut(file_.number(), size_);
  committed_ = size_;
  pages_.clear();
}

}  // namespace plumb::ir::hdf5
