// One way to write a file: beside it, under a lock, renamed when whole; what is no regular file is written straight.
#include "ir/files/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "ir/error.hpp"
#include "ir/files/write_target.hpp"

namespace plumb::ir::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* busy = "is being written by another process, or as another output of this one";

std::string reason(int error) { return std::strerror(error); }

/// Whether the name still leads to the open file.
bool leads_to(const fs::path& path, const Descriptor& file) {
  struct stat named {
  }, opened{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file.number(), &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

/// Network folders that know no locks are written without.
bool is_locked_by_another(const Descriptor& file, int lock = LOCK_EX) {
  return ::flock(file.number(), lock | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

template <class... Parts>
void OutputFile::refuse(const Parts&... parts) const {
  fail(name_.empty() ? "''" : name_.string(), ": ", parts...);
}

template <class... Parts>
void OutputFile::need(bool holds, const Parts&... parts) const {
  if (!holds) refuse(parts...);
}

OutputFile::OutputFile(const fs::path& path, OutputRules rules) : name_(path), kind_(rules.kind) {
  need(!path.empty(), "is not the name of a file");
  need(may_be_called(kind_, path), name_of(kind_), " is not written under a name that ends in ",
       path.extension().string());
  need(path.extension() != ".part", "is not written: names that end in .part are of files that are being written");
  const WriteTarget target = write_target(path);
  target_ = target.path;
  need(target.problem.empty(), target.problem);
  if (target.how == WriteTarget::How::replaced) {
    part_ = target_;
    part_ += ".part";
    check_target(rules);
    if (!rules.is_continued) claim_part();
  } else {
    need(kind_ != FileKind::hdf5, "HDF5 needs a regular file, and this is ", target.what);
    open_stream(target.descriptor);
  }
}

OutputFile::~OutputFile() { remove_part(); }

void OutputFile::remove_part() {
  const Uninterrupted whole;
  if (!is_stream() && file_ && !is_done_ && !keeps_part_) ::unlink(part_.c_str());
}

void OutputFile::remove_part_when_interrupted() {
  last_word_.emplace([this] {
    remove_part();
    return std::string();
  });
}

void OutputFile::open_stream(int descriptor) {
  file_ = Descriptor(descriptor >= 0 ? ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                                     : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file_) refuse("cannot be written: ", reason(errno));
}

void OutputFile::check_target(const OutputRules& rules) const {
  std::error_code none;
  for (const fs::path& input : rules.inputs) {
    need(!fs::equivalent(input, target_, none), "is an input of this command, and is not written over");
    need(!fs::equivalent(input, part_, none), "would take the place of ", part_.filename().string(),
         ", which is an input of this command");
  }
  if (!fs::exists(target_, none)) return;
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) refuse("cannot be written: ", reason(errno));
  if (rules.replace == Replace::any) return;
  const FileKind found = kind_of_file(target_);
  need(found == kind_ || found == FileKind::nothing, "holds ", name_of(found), " and is not replaced by ",
       name_of(kind_), ", but with --force");
}

void OutputFile::claim_part() {
  // Whoever was faster may be done, and gone, by the time that its file is looked at.
  constexpr int tries = 100;
  try {
    for (int tried = 0; !claim_once(); ++tried) need(tried < tries, "is being written by other processes");
    take_mode_of_target();
  } catch (...) {
    remove_part();
    part_.clear();
    throw;
  }
  remove_part_when_interrupted();
}

/// Opens a file, which is made where there is none, and takes a lock of it: LOCK_EX, or LOCK_SH.
Descriptor OutputFile::open_locked(const fs::path& path, int lock) const {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_CREAT, 0666));
  if (!file) refuse(path.filename().string(), " cannot be written: ", reason(errno));
  need(!is_locked_by_another(file, lock) && leads_to(path, file), busy);
  return file;
}

void OutputFile::replace_part(const std::function<void(const fs::path&)>& make) {
  need(!file_ && !is_stream(), "is being written already");
  const Uninterrupted whole;
  std::error_code none;
  keeps_part_ = fs::exists(part_, none);
  // It is held until the new one has its name, so that nobody else begins to write under that name meanwhile. HDF5, by
  // which this process may be reading it, has a shared lock of it; of two that go on with it one gets the next file.
  const Descriptor held = open_locked(part_, LOCK_SH);
  fs::path next = part_;
  next += ".new";
  Descriptor made;
  try {
    made = open_locked(next, LOCK_EX);
    make(next);
    sync(made);
    // Network folders know no locks, and anybody may have moved the file.
    need(leads_to(part_, held), busy);
    rename(next, part_);
  } catch (...) {
    if (made) ::unlink(next.c_str());
    if (!keeps_part_ && leads_to(part_, held)) ::unlink(part_.c_str());
    throw;
  }
  file_ = std::move(made);
  take_mode_of_target();
  remove_part_when_interrupted();
}

/// False when the name changed hands meanwhile.
bool OutputFile::claim_once() {
  constexpr int usual = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  Descriptor made(::open(part_.c_str(), usual | O_CREAT | O_EXCL, 0666));
  if (made) {
    if (is_locked_by_another(made)) refuse(busy);
    if (!leads_to(part_, made)) return false;
    file_ = std::move(made);
    return true;
  }
  if (errno != EEXIST) refuse("cannot be written: ", reason(errno));
  const Descriptor left(::open(part_.c_str(), usual | O_NONBLOCK));
  if (!left && errno == ENOENT) return false;
  if (!left) refuse(part_.filename().string(), " is in the way: ", reason(errno));
  if (is_locked_by_another(left)) refuse(busy);
  // Nobody holds it: it is what a process that was killed left behind.
  if (leads_to(part_, left)) ::unlink(part_.c_str());
  return false;
}

void OutputFile::take_mode_of_target() {
  struct stat before {};
  if (::stat(target_.c_str(), &before) != 0) return;
  // Only root gives files away; a file that is rewritten by another of its writers becomes theirs.
  [[maybe_unused]] const int given = ::fchown(file_.number(), before.st_uid, before.st_gid);
  if (::fchmod(file_.number(), before.st_mode & 07777) != 0) refuse("cannot be written: ", reason(errno));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (is_stream()) {
    // Output that was printed earlier goes first.
    std::cout.flush();
    std::fflush(stdout);
  }
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse("cannot be written: ", reason(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

/// Puts the bytes of a file on the disk, where its file system can.
void OutputFile::sync(const Descriptor& file) const {
  if (::fsync(file.number()) != 0 && errno != EINVAL && errno != ENOTSUP) refuse("cannot be written: ", reason(errno));
}

void OutputFile::rename(const fs::path& from, const fs::path& to) const {
  if (::rename(from.c_str(), to.c_str()) != 0) refuse(from.filename().string(), " cannot be renamed: ", reason(errno));
}

void OutputFile::commit() {
  const Uninterrupted whole;
  if (!is_stream()) {
    sync(file_);
    rename(part_, target_);
    const auto folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    const Descriptor entry(::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
    if (entry) ::fsync(entry.number());
  }
  is_done_ = true;
  if (!file_.close()) refuse("cannot be written: ", reason(errno));
}

void write_file(const fs::path& path, FileKind kind, std::span<const std::byte> bytes) {
  OutputFile file(path, {.kind = kind});
  file.write(bytes);
  file.commit();
}

void write_file(const fs::path& path, FileKind kind, std::string_view bytes) {
  write_file(path, kind, std::as_bytes(std::span(bytes)));
}

void write_text(const fs::path& path, std::string_view text) { write_file(path, FileKind::text, text); }

}  // namespace plumb::ir::files
