// Reads recorded command lines by the parser that took them, and compares options as they were said.
#include "parity/cli/verifying/resumed_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <set>

#include "ir/error.hpp"
#include "ir/files/process.hpp"
#include "parity/cli/flags/as_meant.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/results/record_parts.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::array compared = {
    "--filter", "--skip",         "--op",       "--metamorphic",        "--repeat",        "--no-plain-run", "--blame",
    "--strict", "--min-verified", "--expected", "--expected-precision", "--expected-runs", "--data",         "--rtol",
    "--atol",   "--emulate"};

/// The values that a command line gives these options, or their defaults.
std::array<std::string, compared.size()> options_of(const std::vector<std::string>& words) {
  flags::VerifyFlags flags;
  CLI::App app;
  flags::add_verify_flags(app, flags);
  flags::take_as_meant(app);
  app.allow_extras();
  std::vector<std::string> rest(words.begin() + 2, words.end());
  // The name of a folder that ends in a slash is empty, and an empty word would be refused.
  for (std::string& word : rest)
    if (word.empty() || word.ends_with('=')) word += '/';
  std::ranges::reverse(rest);  // as CLI11 takes them
  app.parse(std::move(rest));
  std::array<std::string, compared.size()> said;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const CLI::Option* const option = app.get_option(compared[i]);
    said[i] = option->count() == 0 ? option->get_default_str() : fmt::format("{}", fmt::join(option->results(), ","));
  }
  return said;
}

}  // namespace

void require_equal_options(results::Resumption& earlier, const std::vector<std::string>& command_line) {
  const std::string file = earlier.path().string();
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("not said") : text; };
  std::vector<std::string> now;
  for (const std::string& word : command_line) now.push_back(results::without_folders(word));
  const auto is = options_of(now);
  for (const std::string& line : earlier.command_lines()) try {
      const std::vector<std::string> words = ir::files::split_words(line);
      ir::require(words.size() > 2 && words[1] == "verify", file,
                  ": does not record by which options of verify its runs were made, and --resume goes on with equal "
                  "ones");
      const auto was = options_of(words);
      for (std::size_t i = 0; i < compared.size(); ++i)
        ir::require(was[i] == is[i], file, ": was recorded with another ", compared[i], ", ", shown(was[i]), "; it is ",
                    shown(is[i]), " now, and --resume goes on with the same one");
    } catch (const CLI::ParseError& problem) {
      ir::fail(file, ": options of its runs cannot be told, and --resume goes on with equal ones: ", problem.what());
    }
}

void require_same_files(const results::Resumption& earlier, const std::vector<Batch>& batches) {
  if (earlier.unfinished().empty()) return;
  std::set<std::string> paths;
  for (const Batch& batch : batches)
    for (const std::string& path : batch.paths)
      paths.insert(cases::identity_of(verify::unread_case(path, batch.fill), {}, {}).path);
  for (const results::UnfinishedRun& run : earlier.unfinished())
    ir::require(paths.contains(run.identity.path), earlier.path().string(), ": was cut off inside ", run.identity.path,
                ", which is not verified now, and --resume goes on with the same file");
}

}  // namespace plumb::parity::cli
