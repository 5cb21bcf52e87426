#pragma once

// The one way in which plumb writes a file.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/files/descriptor.hpp"
#include "ir/files/file_kind.hpp"
#include "ir/files/interruption.hpp"

namespace plumb::ir::files {

/// Which file may be replaced: one of the kind that is written, or any.
enum class Replace { same_kind, any };

struct OutputRules {
  FileKind kind = FileKind::other;  ///< format of the new contents
  Replace replace = Replace::any;
  std::vector<std::filesystem::path> inputs = {};  ///< never written over, whatever `replace` says
  bool is_continued = false;                       ///< part() stays as it was left until replace_part() makes it anew
};

/// A file that is being written. To be made before the work whose results it takes: whatever stands in the way is an
/// error then.
///
///   OutputFile out("report.json", {.kind = FileKind::json, .replace = Replace::same_kind, .inputs = {"graph.json"}});
///   out.write(text);
///   out.commit();
///
/// The name decides what happens. Of a regular file, or where there is none, part() takes what is written, beside it
/// and with its mode and owner, until commit() renames it: the name never has half a file, and an earlier one stays
/// until then. part() is locked; a second process with the same output is refused. A link is followed. Devices, pipes
/// and descriptors of this process (/dev/stdout, /dev/fd/3) are opened and written as they are; "-" is stdout.
///
/// All members throw Error, which begins with the name.
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& path, OutputRules rules);
  /// Removes part() unless it was committed or is to be kept.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& name() const { return name_; }
  /// Where a library that opens files by name is to write; empty of a stream.
  const std::filesystem::path& part() const { return part_; }
  bool is_stream() const { return part_.empty(); }
  /// Puts a file that `make` writes, under the name that it is given, in the place of part(): until it is whole, part()
  /// is as it was left, whatever happens, and locked. To be called once, before anything else is written, where
  /// `is_continued` was said.
  void replace_part(const std::function<void(const std::filesystem::path&)>& make);

  /// part() then outlives this, and an interruption, without being committed.
  void keep_part() { keeps_part_ = true; }

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Sees to it that all of it is on the disk, under its name.
  void commit();

 private:
  void open_stream(int descriptor);
  void check_target(const OutputRules& rules) const;
  Descriptor open_locked(const std::filesystem::path& path, int lock) const;
  void claim_part();
  bool claim_once();
  void take_mode_of_target();
  void remove_part();
  void remove_part_when_interrupted();
  void sync(const Descriptor& file) const;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  template <class... Parts>
  void need(bool holds, const Parts&... parts) const;
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const;

  const std::filesystem::path name_;
  const FileKind kind_;
  std::filesystem::path target_, part_;
  Descriptor file_;
  bool keeps_part_ = false, is_done_ = false;
  std::optional<LastWord> last_word_;
};

/// Writes a file whole, replacing whatever has the name.
void write_file(const std::filesystem::path& path, FileKind kind, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, FileKind kind, std::string_view bytes);
/// Likewise a text file.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace plumb::ir::files
