// Checks of what the program stands on: host, driver, caches, and what was kept of a device.
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/cache/calibration_file.hpp"
#include "gpu_vulkan/plan/plan_options.hpp"
#include "ir/attribute.hpp"
#include "ir/files/read_file.hpp"
#include "ir/ops/matmul.hpp"
#include "library/describe.hpp"
#include "library/own_files.hpp"
#include "parity/cli/selfchecking/selfcheck_run.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/profile/profile_file.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using studies::selfcheck::failed;
using studies::selfcheck::Found;
using studies::selfcheck::ok;
using studies::selfcheck::skipped;

constexpr double mib = 1 << 20;

/// MiB of memory that a program could have now, by the kernel; nothing where it does not say.
std::optional<double> free_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("MemAvailable:")) return std::stod(line.substr(line.find(':') + 1)) / 1024;
  return std::nullopt;
}

/// MiB that fit into the temp folder; nothing where there is none.
std::optional<double> free_disk() {
  std::error_code problem;
  struct statvfs found {};
  const fs::path folder = fs::temp_directory_path(problem);
  if (problem || statvfs(folder.c_str(), &found) != 0) return std::nullopt;
  return static_cast<double>(found.f_bavail) * static_cast<double>(found.f_frsize) / mib;
}

std::string mib_text(const std::optional<double>& size) { return size ? fmt::format("{:.0f} MiB", *size) : "unknown"; }

/// "PLUMB_TILE=32x32x16" and others that are set.
std::string own_variables() {
  std::string all;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::string_view(*variable).starts_with("PLUMB_")) all += (all.empty() ? "" : " ") + std::string(*variable);
  return all.empty() ? "no PLUMB_ variable" : all;
}

/// The files of a folder that end so, or whose names begin so.
std::vector<fs::path> files_of(const fs::path& folder, std::string_view prefix, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator one(folder, problem), end; !problem && one != end; one.increment(problem)) {
    const fs::path& path = one->path();
    if (path.filename().string().starts_with(prefix) && path.extension() == extension) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

/// Whether a file that store_checked wrote, by whatever magic, is as it was written.
bool is_whole(const fs::path& path) {
  gpu_vulkan::cache::CacheMagic magic{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(magic.data(), magic.size())) return false;
  return !gpu_vulkan::cache::load_checked(path, magic).empty();
}

/// Writes a file to the folder, reads it back and removes it.
bool keeps_files(const fs::path& folder) {
  constexpr gpu_vulkan::cache::CacheMagic magic = {'p', 'l', 'u', 'm', 'b', 's', 'c', '1'};
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  const fs::path path = folder / fmt::format("selfcheck-{}.bin", getpid());
  const bool is_kept = gpu_vulkan::cache::store_checked(path, magic, bytes) &&
                       std::ranges::equal(gpu_vulkan::cache::load_checked(path, magic), bytes);
  std::error_code none;
  fs::remove(path, none);
  return is_kept;
}

/// The programs and files that ship beside plumb.
Found installation() {
  library::own_program("candidate-host");
  library::own_attacks();
  library::python_folder();
  return ok("programs, attacks and the Python package are beside plumb");
}

/// Opens a device. A calibration that is damaged is in nobody's way: a check of its own says so.
std::unique_ptr<gpu_vulkan::VulkanExecutor> open_device(gpu_vulkan::device::VulkanOptions options) {
  try {
    return std::make_unique<gpu_vulkan::VulkanExecutor>(options);
  } catch (const ir::Unsupported&) {
    throw;
  } catch (const ir::Error&) {
    if (options.calibration.empty() || options.calibration == "off") throw;
    options.calibration = "off";
    return std::make_unique<gpu_vulkan::VulkanExecutor>(options);
  }
}

std::string device_text(const gpu_vulkan::device::DeviceFacts& facts) {
  return fmt::format("{} ({}, {} {})", facts.name, ir::enum_name(facts.kind), facts.driver_name, facts.driver_info);
}

}  // namespace

Found SelfcheckRun::environment() const {
  constexpr double least_memory = 256, least_disk = 64;
  const profile::Environment host = library::describe_host(flags_.device.threads);
  const std::optional<double> memory = free_memory(), disk = free_disk();
  const core::BuildInfo& build = core::build_info();
  const std::string text =
      fmt::format("plumbline {} ({}{}), {}, level {}, {}, {} of memory, {} in the temp folder, {}", build.version,
                  build.git_commit.substr(0, 12), build.git_dirty ? ", changed" : "",
                  host.cpu.empty() ? "unknown processor" : host.cpu, host.cpu_level,
                  core::terminal::counted(static_cast<std::size_t>(host.threads), "thread"), mib_text(memory),
                  mib_text(disk), own_variables());
  if (memory && *memory < least_memory)
    return failed(text, fmt::format("leave {:.0f} MiB of memory free", least_memory));
  if (disk && *disk < least_disk)
    return failed(text, fmt::format("leave {:.0f} MiB free, or name another folder in TMPDIR", least_disk));
  return ok(text);
}

Found SelfcheckRun::driver() {
  const auto lacks = [this](const std::string& why) {
    why_no_device_ = "there is no device";
    Found found = failed(why, "`plumb devices -v` lists devices, and why one is refused");
    found.lacks_a_device = true;
    return found;
  };
  try {
    const auto devices = gpu_vulkan::list_devices();
    device_ = open_device(options_);
    std::string text = device_text(device_->facts());
    for (const auto& [facts, refusal] : devices)
      if (!refusal.empty()) text += fmt::format("; {} is refused: {}", facts.name, refusal);
    return ok(text);
  } catch (const ir::Unsupported& error) {
    return lacks(error.what());
  }
}

/// A product whose plan runs cooperative matrices, where the device has them: compiling it tests these.
Found SelfcheckRun::cooperative() {
  if (!device_) return skipped(why_no_device_);
  const auto& shapes = device_->facts().cooperative_shapes;
  if (shapes.empty()) return skipped("the device has no cooperative matrices");
  constexpr std::int64_t extent = 256;
  const ir::TensorType type{ir::DType::f16, {extent, extent}};
  const ir::Graph graph = ir::graph_of(ir::ops::Matmul{}, ir::TensorTypes{type, type});
  device_->compile(graph, {}, {.wanted = graph.results()});
  const std::string doubt = device_->plan_options().cooperative_doubt;
  if (!doubt.empty())
    return failed(doubt, "update the driver, or leave them out by --set cooperative=false; plumb does not use them");
  return ok(core::terminal::counted(shapes.size(), "shape") + ", self-test passed");
}

Found SelfcheckRun::cache() const {
  const fs::path folder = gpu_vulkan::cache::cache_folder(options_.pipeline_cache);
  if (folder.empty()) return skipped("there is none: it is off, or neither XDG_CACHE_HOME nor HOME is set");
  if (!keeps_files(folder))
    return failed(folder.string() + " keeps no files",
                  "make it writable, or name another one in XDG_CACHE_HOME or PLUMB_PIPELINE_CACHE");
  std::size_t whole = 0;
  for (const char* const prefix : {"pipelines-", "selftest-"})
    for (const fs::path& path : files_of(folder, prefix, ".bin")) {
      if (!is_whole(path)) return failed(path.string() + " is damaged", "remove it: it is made again when needed");
      ++whole;
    }
  return ok(fmt::format("{} keeps files, and has {} that {} whole", folder.string(),
                        core::terminal::counted(whole, "file"), whole == 1 ? "is" : "are"));
}

Found SelfcheckRun::calibration() const {
  if (!device_) return skipped(why_no_device_);
  const fs::path path = gpu_vulkan::cache::calibration_path(options_.calibration, device_->facts());
  if (path.empty()) return skipped("it is off, or there is no cache folder");
  std::error_code none;
  if (!fs::exists(path, none)) return ok("none was made; `plumb calibrate` makes one, for faster kernels");
  constexpr std::uint64_t most_bytes = 1 << 24;
  const auto made =
      gpu_vulkan::cache::calibration_of(ir::files::read_text(path, most_bytes), path.string(), device_->facts());
  return ok(fmt::format("{} is of this device and driver: {}", path.string(),
                        core::terminal::counted(made.products.size(), "product")));
}

/// Profiles that --profile auto kept.
Found SelfcheckRun::profile() const {
  const fs::path folder = gpu_vulkan::cache::cache_folder("");
  std::size_t all = 0, own = 0;
  if (!folder.empty())
    for (const fs::path& path : files_of(folder / "profiles", "", ".toml")) {
      const profile::DeviceProfile kept = profile::read_profile(path);
      ++all;
      own += device_ && kept.name == device_->facts().name;
    }
  if (own == 0)
    return ok(fmt::format("{} kept, none of this device; `plumb probe` makes one, for tighter limits",
                          core::terminal::counted(all, "profile")));
  return ok(fmt::format("{} kept, {} of this device", core::terminal::counted(all, "profile"), own));
}

void SelfcheckRun::check_host() {
  checklist_.run(Area::environment, "environment", [&] { return environment(); });
}

void SelfcheckRun::check_driver() {
  checklist_.run(
      Area::driver, "driver", [&] { return driver(); }, "`plumb devices -v` says more; look at --device and --set");
  if (!device_ && why_no_device_.empty()) why_no_device_ = "the device cannot be opened";
  if (flags_.quick)
    skip(Area::driver, "cooperative", "--quick leaves it out");
  else
    checklist_.run(
        Area::driver, "cooperative", [&] { return cooperative(); }, "update the driver; `plumb devices` shows it");
}

void SelfcheckRun::check_caches() {
  checklist_.run(
      Area::caches, "installation", [] { return installation(); }, "install plumbline again, as a whole");
  checklist_.run(Area::caches, "cache", [&] { return cache(); });
  checklist_.run(
      Area::caches, "calibration", [&] { return calibration(); }, "`plumb calibrate` makes a new one");
  checklist_.run(
      Area::caches, "profile", [&] { return profile(); }, "remove it: --profile auto makes a new one");
}

}  // namespace plumb::parity::cli
