#pragma once

// Flags and checks that all commands share that write files.

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/files/output_file.hpp"
#include "ir/formats/graph_file.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::parity::cli::flags {

struct GraphFlags;

/// Adds a flag that names a file to write.
CLI::Option* add_output(CLI::App& app, const std::string& names, std::string& path, const std::string& help);

/// Adds --force, which lets a command replace files of another kind than it writes.
void add_force_flag(CLI::App& app, bool& force);

/// Adds --markdown and --html.
void add_page_flags(CLI::App& app, std::string& markdown, std::string& html);

/// Throws Error where more than one of these outputs, each with its flag, is "-".
void require_one_on_stdout(std::initializer_list<std::pair<const char*, const std::string&>> outputs);

/// Adds --github, which annotates what failed in GitHub Actions.
void add_github_flag(CLI::App& app, bool& github);

/// Opens the files that a command writes, and never one of `inputs`, which it reads.
struct Outputs {
  bool force = false;
  std::vector<std::filesystem::path> inputs = {};

  /// The file, or nothing where none is named; to be opened before the work begins. Throws Error as OutputFile does.
  std::unique_ptr<ir::files::OutputFile> open(const std::string& path, ir::files::FileKind kind) const;

  /// Does so for tensors, in the kind of file that the name says. A results file is not taken for one of tensors.
  std::unique_ptr<ir::files::OutputFile> open_tensors(const std::string& path) const;

  /// A file of text, which replaces text of this sort alone: its beginning has the mark, as "plumb-profile/". Without a
  /// mark it is text for people, and replaces none that this program reads.
  std::unique_ptr<ir::files::OutputFile> open_text(const std::string& path, std::string_view mark) const;
};

/// Throws Error, which begins with the option, where a folder that is to be filled has files, and --force does not say
/// that more may be beside them, or where it is none. It need not be there.
void require_free_folder(std::string_view option, const std::filesystem::path& folder, bool force);

/// Makes a folder, and those that it is in, unless it is there. Throws Error, which begins with the option.
void make_folder(std::string_view option, const std::filesystem::path& folder);

/// Removes those files of a folder: of an earlier start, whose names a new one may not write again. Throws Error.
void remove_files(const std::filesystem::path& folder,
                  const std::function<bool(const std::filesystem::path&)>& is_to_go);

/// The files that these flags name.
std::vector<std::filesystem::path> files_read(const GraphFlags& flags);

/// Those that a graph file's tensors come from.
std::vector<std::filesystem::path> files_read(const ir::formats::GraphFile& file);

/// Does so for the file of this name; there are none where it is an ONNX model, or cannot be read.
std::vector<std::filesystem::path> tensors_read(const std::string& graph_path);

/// Throws Error where the file is a record of runs, which is HDF5, too, and `force` is not said.
void require_no_record(const std::string& path, bool force);

/// Opens a file for tensors, which is no input of a command on one graph. Nothing where none is named.
std::unique_ptr<ir::files::OutputFile> open_tensors(const std::string& path, bool force, const std::string& graph_path,
                                                    const ir::formats::GraphFile& file, const GraphFlags& flags);

/// Writes it whole; nothing where there is no file.
void write_whole(const std::unique_ptr<ir::files::OutputFile>& file, std::string_view text);

}  // namespace plumb::parity::cli::flags
