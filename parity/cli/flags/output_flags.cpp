// The flags of what commands write, opened before the work and held against their inputs.
#include "parity/cli/flags/output_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "ir/formats/tensor_files.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::cli::flags {

CLI::Option* add_output(CLI::App& app, const std::string& names, std::string& path, const std::string& help) {
  const auto is_named = [](const std::string& given) {
    return given.empty() ? std::string("'' is not the name of a file") : std::string();
  };
  return app.add_option(names, path, help)->check(CLI::Validator(is_named, ""));
}

void add_page_flags(CLI::App& app, std::string& markdown, std::string& html) {
  add_output(app, "--markdown", markdown,
             "write a summary as Markdown of at most 60 KiB, fit for a comment, to this file, or - for stdout")
      ->group("output");
  add_output(app, "--html", html, "write the report as one HTML page, which needs nothing else, to this file")
      ->group("output");
}

void require_one_on_stdout(std::initializer_list<std::pair<const char*, const std::string&>> outputs) {
  std::vector<std::string_view> there, all;
  for (const auto& [flag, path] : outputs) {
    all.emplace_back(flag);
    if (path == "-") there.emplace_back(flag);
  }
  ir::require(there.size() < 2, "only one of ",
              fmt::format("{} and {}", fmt::join(all.begin(), all.end() - 1, ", "), all.back()),
              " can be written to stdout");
}

void add_force_flag(CLI::App& app, bool& force) {
  app.add_flag("--force", force, "replace files of another kind than is written, too; never an input")->group("output");
}

void add_github_flag(CLI::App& app, bool& github) {
  app.add_flag("--github", github,
               "in GitHub Actions: annotate what failed, append a summary to the step's, and let no name of a node be "
               "taken for a command (docs/ci.md)")
      ->group("output");
}

std::unique_ptr<ir::files::OutputFile> Outputs::open(const std::string& path, ir::files::FileKind kind) const {
  if (path.empty()) return nullptr;
  const auto replace = force ? ir::files::Replace::any : ir::files::Replace::same_kind;
  return std::make_unique<ir::files::OutputFile>(
      path, ir::files::OutputRules{.kind = kind, .replace = replace, .inputs = inputs});
}

std::unique_ptr<ir::files::OutputFile> Outputs::open_text(const std::string& path, std::string_view mark) const {
  auto file = open(path, ir::files::FileKind::text);
  std::error_code problem;
  if (!file || force || !std::filesystem::is_regular_file(path, problem)) return file;
  constexpr std::size_t looked_at = 4096;
  std::string before(looked_at, '\0');
  std::ifstream from(path, std::ios::binary);
  from.read(before.data(), static_cast<std::streamsize>(before.size()));
  before.resize(static_cast<std::size_t>(from.gcount()));
  constexpr std::string_view ours[] = {"schema = \"plumb-", "plumbline-calibration "};
  const auto has = [&](std::string_view text) { return before.find(text) != before.npos; };
  const bool is_same = mark.empty() ? std::ranges::none_of(ours, has) : has(mark);
  ir::require(before.empty() || is_same, path, ": is text of another kind and is not replaced, but with --force");
  return file;
}

void require_free_folder(std::string_view option, const std::filesystem::path& folder, bool force) {
  std::error_code none;
  if (!std::filesystem::exists(folder, none)) return;
  ir::require(std::filesystem::is_directory(folder, none), option, ' ', folder.string(), ": is no folder");
  ir::require(force || std::filesystem::is_empty(folder, none), option, ' ', folder.string(),
              ": the folder is not empty; --force writes beside what it has");
}

void make_folder(std::string_view option, const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  ir::require(!problem, option, ' ', folder.string(), ": ", problem.message());
}

void remove_files(const std::filesystem::path& folder,
                  const std::function<bool(const std::filesystem::path&)>& is_to_go) {
  std::error_code problem;
  std::vector<std::filesystem::path> gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem))
    if (is_to_go(entry.path())) gone.push_back(entry.path());
  for (const std::filesystem::path& path : gone) std::filesystem::remove(path, problem);
  ir::require(!problem, folder.string(), ": ", problem.message());
}

std::vector<std::filesystem::path> files_read(const GraphFlags& flags) {
  std::vector<std::filesystem::path> files;
  for (const std::string* const file : {&flags.model.load_inputs, &flags.model.expected, &flags.precision})
    if (!file->empty()) files.emplace_back(*file);
  return files;
}

std::vector<std::filesystem::path> files_read(const ir::formats::GraphFile& file) {
  std::vector<std::filesystem::path> files;
  for (const auto& [name, source] : file.sources)
    if (const auto* const from = std::get_if<ir::formats::External>(&source))
      files.push_back(file.directory / from->file);
  return files;
}

std::vector<std::filesystem::path> tensors_read(const std::string& graph_path) try {
  return is_onnx(graph_path) ? std::vector<std::filesystem::path>() : files_read(ir::formats::read_graph(graph_path));
} catch (const ir::Error&) {
  return {};  // its fault is reported when it is verified
}

void require_no_record(const std::string& path, bool force) {
  const bool is_record = ir::files::kind_of_file(path) == ir::files::FileKind::hdf5 && results::is_results_file(path);
  ir::require(force || !is_record, path, ": is a results file and is not replaced by tensors, but with --force");
}

std::unique_ptr<ir::files::OutputFile> Outputs::open_tensors(const std::string& path) const {
  auto output = open(path, ir::formats::kind_of_tensors(path));
  require_no_record(path, force);
  return output;
}

std::unique_ptr<ir::files::OutputFile> open_tensors(const std::string& path, bool force, const std::string& graph_path,
                                                    const ir::formats::GraphFile& file, const GraphFlags& flags) {
  if (path.empty()) return nullptr;
  Outputs outputs{.force = force, .inputs = files_read(file)};
  outputs.inputs.emplace_back(graph_path);
  for (auto& read : files_read(flags)) outputs.inputs.push_back(std::move(read));
  return outputs.open_tensors(path);
}

void write_whole(const std::unique_ptr<ir::files::OutputFile>& file, std::string_view text) {
  if (!file) return;
  file->write(text);
  file->commit();
}

}  // namespace plumb::parity::cli::flags
