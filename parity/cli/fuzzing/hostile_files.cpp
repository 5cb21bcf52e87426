// Breaks the files of cases, and has them read in processes of their own.
#include "parity/cli/fuzzing/hostile_files.hpp"

#include <fmt/format.h>

#include <map>

#include "ir/files/process.hpp"
#include "library/own_files.hpp"
#include "parity/cli/fuzzing/corpus.hpp"
#include "parity/cli/fuzzing/graph_texts.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/studies/fuzz/broken.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto reading_time = std::chrono::seconds(20);

/// How the file was taken, unless it was refused as it should be; "" then.
std::string wrong_end(const fs::path& file) {
  const ir::files::ProcessEnd end =
      ir::files::run_process({library::own_program("plumb"), "inspect", file.string()}, {.time = reading_time});
  if (end.is_late) return "hang";
  if (!end.signal.empty()) return "crash:" + end.signal;
  return end.status == static_cast<int>(core::ExitCode::tool_error) ? "" : fmt::format("exit status {}", end.status);
}

}  // namespace

int read_hostile_files(const FuzzFlags& flags) {
  const foreign::Scratch scratch(std::uint64_t{1} << 24, {});
  const fs::path file = scratch.path() / "broken.json";
  std::optional<Corpus> corpus;
  if (!flags.corpus.empty()) corpus.emplace(flags.corpus, fmt::format("hostile seed {}", flags.cases.seed));
  std::map<std::string, std::size_t> found;
  std::size_t read = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto budget = flags.time();
  for (std::uint64_t i = 0; i < flags.count; ++i) {
    if (budget && std::chrono::steady_clock::now() - begin >= *budget) break;
    const auto drawn = chosen_case(flags, flags.first + i);
    if (!drawn) continue;
    const studies::fuzz::Broken broken = studies::fuzz::break_file(drawn->file, flags.cases.seed, flags.first + i);
    show::write_graph_text(file, broken.text);
    ++read;
    const std::string wrong = wrong_end(file);
    if (wrong.empty()) continue;
    const std::string name = folder_name({.kind = "hostile:" + wrong + ':' + broken.how});
    if (++found[name] > 1) continue;
    show::print("{}: {}: {}\n", drawn->name, broken.how, wrong);
    if (!corpus) continue;
    std::error_code none;
    fs::create_directory(corpus->found(name), none);
    show::write_graph_text(corpus->found(name) / "repro.json", broken.text);
    show::print("   kept: {}\n", corpus->found(name).string());
  }
  show::print("{}, {} of them were not refused with 2\n", core::terminal::counted(read, "broken file"), [&] {
    std::size_t sum = 0;
    for (const auto& [name, count] : found) sum += count;
    return sum;
  }());
  return static_cast<int>(found.empty() ? core::ExitCode::passed : core::ExitCode::failed);
}

}  // namespace plumb::parity::cli
