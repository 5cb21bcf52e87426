// Profiles that are made once for each candidate and kept between runs.
#include "parity/cli/probing/kept_profile.hpp"

#include <fmt/format.h>

#include <functional>
#include <span>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/files/process.hpp"
#include "library/describe.hpp"
#include "library/open_candidate.hpp"
#include "library/probe.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/sha256.hpp"
#include "parity/foreign/spec.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

std::string line_of_file(const std::filesystem::path& path) {
  const std::string hash = core::sha256_of_file(path);
  return hash.empty() ? "" : "file=" + hash + '\n';
}

/// Everything that a candidate's arithmetic depends on, as a text. Of a command every word counts that is a file.
std::string text_of(const foreign::Candidate& candidate, const std::string& spec) {
  const foreign::Description description = candidate.description();
  std::string text =
      ir::cat("kind=", description.kind, "\nspec=", description.spec, "\nis=", foreign::to_text(description), '\n');
  for (const std::filesystem::path& path : library::files_read(spec, {})) text += line_of_file(path);
  if (foreign::parse_spec(spec).kind != foreign::Kind::exec) return text;
  const std::vector<std::string> words = ir::files::split_words(description.spec);
  text += line_of_file(ir::files::find_program(words.front()));
  for (std::size_t i = 1; i < words.size(); ++i) text += line_of_file(words[i]);
  return text;
}

std::string text_of_build() {
  const core::BuildInfo& build = core::build_info();
  return ir::cat("plumb=", build.version, ' ', build.git_commit, build.git_dirty ? " changed" : "", '\n');
}

/// Whoever is judged, as far as probing goes.
struct Probed {
  std::string depends_on;  ///< all that the profile depends on
  std::function<profile::DeviceProfile(const profile::probe::ProbeOptions&)> probe;
};

Probed probed_of(VerifyCandidate& candidate, const std::string& spec, ref_cpu::CpuExecutor& reference) {
  using Options = profile::probe::ProbeOptions;
  if (foreign::Candidate* const other = candidate.foreign()) {
    library::require_probed(spec);
    return {text_of(*other, spec), [other, &reference](const Options& options) {
              return library::probe_candidate(*other, reference, options);
            }};
  }
  if (gpu_vulkan::VulkanExecutor* const device = candidate.device()) {
    const auto& facts = device->facts();
    return {
        ir::cat("kind=vulkan\ndevice=", facts.name, "\ndriver=", facts.driver_name, ' ', facts.driver_info, '\n',
                text_of_build()),
        [device, &reference](const Options& options) { return library::probe_device(*device, reference, options); }};
  }
  ir::require(foreign::parse_spec(spec).kind == foreign::Kind::cpu, "--profile auto: there is no device to be probed");
  return {ir::cat("kind=cpu\ncpu=", library::cpu_name(), '\n', text_of_build()),
          [&reference](const Options& options) { return library::probe_host(reference, options); }};
}

}  // namespace

std::filesystem::path kept_profile(VerifyCandidate& candidate, const std::string& spec,
                                   ref_cpu::CpuExecutor& reference) {
  const std::filesystem::path cache = gpu_vulkan::cache::cache_folder("");
  ir::require(!cache.empty(),
              "--profile auto: there is no folder to keep it in: neither XDG_CACHE_HOME nor HOME is set");
  const Probed probed = probed_of(candidate, spec, reference);
  const std::filesystem::path path = cache / "profiles" / (core::sha256(probed.depends_on).substr(0, 16) + ".toml");
  if (std::filesystem::exists(path)) return path;

  report::Progress progress;
  profile::probe::ProbeOptions options;
  options.step = [&](std::string_view what, std::size_t done, std::size_t steps) { progress.step(what, done, steps); };
  const profile::DeviceProfile found = probed.probe(options);
  progress.erase();
  const std::string toml = profile::to_toml(found);
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  ir::require(gpu_vulkan::cache::store_whole(path, std::as_bytes(std::span(toml))), "--profile auto: ", path.string(),
              ": cannot be written");
  fmt::print(stderr, "--profile auto: probed {}, kept as {}\n", found.name, path.string());
  return path;
}

}  // namespace plumb::parity::cli
