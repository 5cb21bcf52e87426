// Hands a case on to a process of its own, as a small file.
#include "parity/cli/verifying/child_case.hpp"

#include <nlohmann/json.hpp>

#include "ir/files/output_file.hpp"
#include "ir/files/read_file.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_child_bytes = 1 << 16;

}  // namespace

void write_child(const std::filesystem::path& file, const ChildCase& child) {
  const nlohmann::json made = {{"batch", child.batch},
                               {"path", std::vector<std::uint8_t>(child.path.begin(), child.path.end())},
                               {"device", child.device},
                               {"threads", child.threads},
                               {"shares_device", child.shares_device},
                               {"is_first", child.is_first},
                               {"passed_over", child.passed_over},
                               {"attempt", child.attempt},
                               {"attempts", child.attempts},
                               {"width", child.width},
                               {"is_coloured", child.is_coloured}};
  ir::files::write_text(file, made.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

ChildCase read_child(const std::filesystem::path& file) try {
  const auto made = nlohmann::json::parse(ir::files::read_text(file.string(), most_child_bytes));
  ChildCase child{.batch = made.at("batch"),
                  .device = made.at("device"),
                  .threads = made.at("threads"),
                  .shares_device = made.at("shares_device"),
                  .is_first = made.at("is_first"),
                  .passed_over = made.at("passed_over"),
                  .attempt = made.at("attempt"),
                  .attempts = made.at("attempts"),
                  .width = made.at("width"),
                  .is_coloured = made.at("is_coloured")};
  // A name of a file is bytes, which need not be UTF-8.
  for (const auto& byte : made.at("path")) child.path += static_cast<char>(byte.get<std::uint8_t>());
  return child;
} catch (const nlohmann::json::exception& problem) {
  ir::fail(file.string(), ": says of no case which it is: ", problem.what());
}

std::filesystem::path results_of(const std::filesystem::path& child) {
  return std::filesystem::path(child).replace_extension(".h5");
}

std::filesystem::path earlier_of(const std::filesystem::path& child) { return child.parent_path() / "earlier.h5"; }

std::filesystem::path refusal_of(const std::filesystem::path& child) {
  return std::filesystem::path(child).replace_extension(".refusal");
}

ChildCase become_child(flags::VerifyFlags& flags) {
  ChildCase child = read_child(flags.child);
  for (std::string* const off : {&flags.json, &flags.junit, &flags.counts, &flags.markdown, &flags.html, &flags.shard,
                                 &flags.times, &flags.jobs, &flags.case_timeout, &flags.budget})
    off->clear();
  flags.github = flags.resume = flags.share_device = false;
  flags.force = true;
  flags.results = results_of(flags.child).string();
  if (!child.device.empty()) flags.device.device = child.device;
  flags.device.threads = child.threads;
  if (child.width != 0) flags.style.width = child.width;
  flags.style.color = child.is_coloured ? core::terminal::When::always : core::terminal::When::never;
  return child;
}

}  // namespace plumb::parity::cli
