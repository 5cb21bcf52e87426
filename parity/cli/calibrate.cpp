// `plumb calibrate`: times tiles and transfers, and keeps them in the cache folder.
#include "gpu_vulkan/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "gpu_vulkan/cache/calibration_file.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

struct CalibrateFlags {
  std::string output;
  bool force = false;
  gpu_vulkan::calibrate::CalibrateEffort effort;
  std::size_t transfer_mib = effort.transfer_bytes >> 20;
  flags::DeviceFlags device;
};

/// A rate, or in plain words that there is none: one that no clock showed is not a rate of 0.
std::string rate_text(double bytes_a_second) {
  return bytes_a_second > 0 ? fmt::format("{:.1f} GB/s", 1e-9 * bytes_a_second) : "not measured (too short to time)";
}

void print_summary(const gpu_vulkan::device::Calibration& made) {
  show::print("host to device {}, back {}, copies on the device {}, submit {:.1f} us\n", rate_text(made.host_to_device),
              rate_text(made.device_to_host), rate_text(made.device_copy), made.submit_microseconds);
  for (const auto& rate : made.rates) show::print("{} up to {:.1f} GFLOP/s\n", rate.kernel, 1e-9 * rate.flops);
  show::print("{:<24} {:>6} {:>6} {:>6}  tiles, us\n", "kernel", "m", "k", "n");
  for (const auto& one : made.products) {
    std::string times;
    for (const auto& time : one.times) times += fmt::format("  {} {:.1f}", time.tile, time.microseconds);
    show::print("{:<24} {:>6} {:>6} {:>6}{}\n", one.kernel, one.size.m, one.size.k, one.size.n, times);
  }
}

int run_calibrate(const CalibrateFlags& flags) {
  const auto output = flags::Outputs{.force = flags.force}.open_text(flags.output, "plumbline-calibration ");
  const auto options = flags::vulkan_options(flags.device);
  gpu_vulkan::calibrate::Calibrator calibrator(options);
  const gpu_vulkan::device::DeviceFacts& facts = calibrator.facts();
  const auto path = flags.output.empty() ? gpu_vulkan::cache::calibration_path(options.calibration, facts)
                                         : std::filesystem::path(flags.output);
  ir::require(!path.empty(), "there is no cache folder to keep the calibration in: name a file with -o");
  const auto made = [&] {
    report::Progress progress;
    const auto step = [&](std::string_view what, std::size_t done, std::size_t sizes) {
      progress.step(what, done, sizes);
    };
    return calibrator.measure(flags.effort, step);
  }();
  if (made.products.empty())
    throw ir::Unsupported(
        fmt::format("no product was timed, so that there is nothing to choose tiles by: each kernel "
                    "has one tile, or the smallest product took longer than --longest {} ms",
                    flags.effort.longest_ms));
  print_summary(made);
  if (output)
    flags::write_whole(output, gpu_vulkan::cache::to_text(made, facts));
  else
    gpu_vulkan::cache::store_calibration(path, made, facts);
  fmt::print(stderr, "wrote {}\n", path.string());
  return 0;
}

}  // namespace

Action calibrate(CLI::App& app) {
  const auto flags = std::make_shared<CalibrateFlags>();
  flags::add_output(app, "-o,--output", flags->output,
                    "write to this file, for --set calibration=FILE, instead of to the cache folder");
  flags::add_force_flag(app, flags->force);
  app.add_option("--largest", flags->effort.largest, "largest extent of the products that are measured")
      ->check(flags::whole_from_to(32, 1 << 20))
      ->capture_default_str();
  app.add_option("--budget", flags->effort.budget_ms, "device time for each tile and size, in ms")
      ->check(flags::from_to(0, 1e6))
      ->capture_default_str();
  app.add_option("--longest", flags->effort.longest_ms,
                 "leave out a size whose first tile takes longer than this many ms, and all larger sizes")
      ->check(flags::from_to(0, 1e6))
      ->capture_default_str();
  app.add_option("--transfer", flags->transfer_mib, "size of each transfer that is timed, in MiB")
      ->check(flags::whole_from_to(1, 4096))
      ->capture_default_str();
  flags::add_device_flags(app, flags->device);
  return [flags] {
    flags->effort.transfer_bytes = flags->transfer_mib << 20;
    return run_calibrate(*flags);
  };
}

}  // namespace plumb::parity::cli
