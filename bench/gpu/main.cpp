// GPU time of single ops and of models, host time of small graphs: a JSON file with the
// names of bench/peers, so that scripts/bench_table.py can put them side by side.
//
// Not Google Benchmark: what is wanted is the median of times that the device took itself,
// with something else run on it between any two runs, and neither is what that library measures.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "bench/gpu/measurer.hpp"
#include "bench/gpu/submits.hpp"

namespace plumb::bench {
namespace {

struct Arguments {
  std::string filter, output;
  Scale scale = Scale::full;
  Effort effort;
  bool list = false, submits = false;
};

constexpr std::size_t flushed_bytes(Scale scale) { return std::size_t{1} << (scale == Scale::full ? 28 : 12); }

nlohmann::ordered_json to_json(const Case& one, const Measured& measured) {
  nlohmann::ordered_json json = {{"measure", ir::enum_name(one.measure)},
                                 {"ms", measured.ms},
                                 {"best_ms", measured.best_ms},
                                 {"worst_ms", measured.worst_ms},
                                 {"runs", measured.runs}};
  if (one.flops > 0) json["flops"] = one.flops;
  if (one.bytes > 0) json["bytes"] = one.bytes;
  json["kernels"] = measured.kernels;
  if (!measured.parts_us.empty()) json["parts_us"] = measured.parts_us;
  return json;
}

std::string line(const Case& one, const Measured& measured) {
  const double per_second = 1e3 / measured.ms;
  std::string rate;
  if (one.flops > 0)
    rate = fmt::format("{:9.2f} TF/s", one.flops * per_second / 1e12);
  else if (one.bytes > 0)
    rate = fmt::format("{:9.1f} GB/s", one.bytes * per_second / 1e9);
  std::string parts;
  for (const auto& [part, us] : measured.parts_us) parts += fmt::format("{} {:.1f} us  ", part, us);
  return fmt::format("{:42} {:10.4f} ms {:14} {:5} runs  {}{}", one.name, measured.ms, rate, measured.runs, parts,
                     fmt::join(measured.kernels, " "));
}

void write(const nlohmann::ordered_json& all, const std::string& path) {
  std::ofstream file(path);
  file << all.dump(1) << '\n';
  ir::require(file.good(), "cannot write ", path);
}

/// Measures what is asked for. Returns how many cases failed.
std::size_t run(const Arguments& arguments, const std::vector<Case>& cases) {
  auto options = gpu_vulkan::device::options_from_environment();
  options.on_doubt = [](const std::string& what) { std::cerr << "warning: " << what << '\n'; };
  Measurer measurer(std::move(options), arguments.effort, flushed_bytes(arguments.scale));
  nlohmann::ordered_json all = {{"device", measurer.device()}, {"scale", ir::enum_name(arguments.scale)}};
  std::size_t failed = 0;
  for (const Case& one : cases) {
    try {
      const Measured measured = measurer.measure(one);
      all["cases"][one.name] = to_json(one, measured);
      std::cout << line(one, measured) << std::endl;
    } catch (const ir::Error& error) {
      ++failed;
      all["failed"][one.name] = error.what();
      std::cout << fmt::format("{:42} FAILED: {}", one.name, error.what()) << std::endl;
    }
    if (!arguments.output.empty()) write(all, arguments.output);  // so that an end in the middle loses one case
  }
  return failed;
}

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "plumb_gpu_bench: measures the Vulkan executor; PLUMB_DEVICE and so on choose what `plumb options` lists",
      "plumb_gpu_bench");
  app.add_option("--filter", arguments.filter, "cases whose names match this regular expression somewhere");
  app.add_option("-o,--output", arguments.output, "JSON file");
  app.add_option("--budget", arguments.effort.budget_ms, "milliseconds to measure each case")->capture_default_str();
  bool small = false;
  app.add_flag("--small", small, "the same cases with small sizes, to see that they run");
  app.add_flag("--list", arguments.list, "only print the names");
  app.add_flag("--submits", arguments.submits, "only print what submits, barriers and small kernels take, and waiting");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (small) {
    arguments.scale = Scale::small;
    arguments.effort.warm_ms = 0;
  }
  if (arguments.submits) {
    print_submits(gpu_vulkan::device::options_from_environment(), small ? 3 : 5000);
    return 0;
  }
  std::vector<Case> cases = all_cases(arguments.scale);
  std::erase_if(cases, [&, wanted = std::regex(arguments.filter)](const Case& one) {
    return !std::regex_search(one.name, wanted);
  });
  ir::require(!cases.empty(), "no case matches '", arguments.filter, "'");
  if (arguments.list) {
    for (const Case& one : cases) std::cout << one.name << '\n';
    return 0;
  }
  const std::size_t failed = run(arguments, cases);
  if (failed > 0) std::cerr << failed << " of " << cases.size() << " cases failed\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) try {
  return plumb::bench::main(argc, argv);
} catch (const plumb::ir::Unsupported& error) {
  std::cerr << "plumb_gpu_bench: " << error.what() << '\n';
  return 77;
} catch (const std::exception& error) {
  std::cerr << "plumb_gpu_bench: " << error.what() << '\n';
  return 2;
}
