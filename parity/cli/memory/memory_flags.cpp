// Reads sizes as people write them, and opens a budget of memory.
#include "parity/cli/memory/memory_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "ir/raw/keep_memory.hpp"
#include "ir/raw/process_memory.hpp"
#include "parity/verify/memory_budget.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli::flags {
namespace {

bool is_size(const std::string& text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

/// The bytes of "6G", "6GiB", "512M" or a number of bytes. Throws Error for what begins with a digit and is no size
/// above 0.
std::uint64_t bytes_of_size(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits), unit = digits == text.npos ? "" : text.substr(digits);
  constexpr std::array units = {"", "K", "M", "G", "T"};
  double bytes = 0;
  std::size_t used = 0;
  try {
    bytes = std::stod(number, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  bool is_known = false;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (unit == units[i] || (i > 0 && unit == std::string(units[i]) + "iB")) {
      bytes = std::ldexp(bytes, static_cast<int>(10 * i));
      is_known = true;
    }
  ir::require(used == number.size() && is_known && bytes >= 1 && bytes < 0x1p62,
              "--memory is a size above 0 such as 6G, 6GiB or 512M, got '", text, "'");
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

void add_memory_flags(CLI::App& app, MemoryFlags& flags, std::string& place) {
  app.add_option_function<std::vector<std::string>>(
         "--memory",
         [&flags, &place](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) (is_size(text) ? flags.most : place) = text;
         },
         "a size such as 6G: stay below it (docs/memory.md); or, of a function of a library (tvmffi), where its "
         "tensors are: host, cuda or cuda:N")
      ->type_name("SIZE|PLACE")
      ->allow_extra_args(false)
      ->group("memory");
  app.add_option("--scratch", flags.scratch,
                 "folder for values that have no room in --memory (default: $TMPDIR, else /var/tmp)")
      ->type_name("DIR")
      ->group("memory");
}

std::shared_ptr<verify::MemoryBudget> open_budget(const MemoryFlags& flags) {
  ir::require(!flags.most.empty() || flags.scratch.empty(),
              "--scratch is for what has no room in --memory, and that is "
              "not said");
  if (flags.most.empty()) return nullptr;
  const std::filesystem::path folder =
      flags.scratch.empty() ? ir::files::usual_scratch_folder() : std::filesystem::path(flags.scratch);
  std::error_code problem;
  ir::require(std::filesystem::is_directory(folder, problem), "--scratch ", folder.string(), " is no folder");
  ir::raw::return_freed_memory();
  return std::make_shared<verify::MemoryBudget>(bytes_of_size(flags.most), folder);
}

std::string said_of(const verify::MemoryBudget& budget) {
  const auto text = [](std::uint64_t bytes) { return verify::size_text(static_cast<double>(bytes)); };
  return fmt::format("memory: peak {} of {}, {} in scratch", text(ir::raw::peak_resident_bytes()), text(budget.most()),
                     text(budget.spilled()));
}

void set_budget(const MemoryFlags& flags, verify::FillOptions& fill) {
  if (flags.most.empty()) return;
  fill.memory_budget = bytes_of_size(flags.most);
  fill.is_held_to_budget = true;
}

}  // namespace plumb::parity::cli::flags
