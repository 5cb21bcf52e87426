// Detections and false alarms by the rules of several harnesses: numerics of a real
// device, faults planted in its results. Writes the tables of docs/verdict_rules.md.
//
//   plumb_verdict_rules [seeds of clean runs a setting = 80] [of faulty ones = 2] [cpu]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "bench/verdict_rules/rules.hpp"
#include "bench/verdict_rules/settings.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "library/reference.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/witness.hpp"

namespace plumb::bench {
namespace {

namespace faults = parity::power::faults;

/// For each rule, how many of so many results it refused.
struct Refused {
  std::size_t of = 0;
  std::vector<std::size_t> by = std::vector<std::size_t>(verdict_rules().size());

  void add(const Outcome& outcome) {
    ++of;
    for (std::size_t r = 0; r < by.size(); ++r) by[r] += !verdict_rules()[r].accepts(outcome);
  }

  std::string row(std::string_view name) const {
    std::string text = fmt::format("| {} | {} |", name, of);
    for (const std::size_t count : by) text += fmt::format(" {} |", count);
    return text + "\n";
  }
};

struct Tally {
  std::map<std::string, Refused> clean, faulty;  ///< by family
  std::map<std::string_view, Refused> by_fault;
  Refused all_clean, required;
};

/// Everything that is planted beside one result.
class Planter final : public parity::cases::Observer {
 public:
  Planter(Tally& tally, const Setting& setting, const parity::cases::Case& subject, const faults::Witness& witness,
          ir::Executor& reference, bool plants)
      : tally_(tally),
        setting_(setting),
        subject_(subject),
        witness_(witness),
        reference_(reference),
        plants_(plants) {}

  void compared(const parity::cases::NodeResult& result, const ir::TensorView& truth,
                const ir::TensorView& got) override {
    if (!plants_) {
      const faults::Numbers y = faults::numbers_of(truth), c = faults::numbers_of(got);
      const Outcome outcome{result.local, y, c, setting_.dtype};
      tally_.clean[setting_.family].add(outcome);
      tally_.all_clean.add(outcome);
      return;
    }
    const ir::Graph& graph = subject_.file->graph;
    const parity::core::Segment segment = parity::core::segment_of(graph, result.node);
    const auto site =
        faults::site_of(witness_, graph, subject_.feeds, result.node, segment, result.output, truth, got, reference_);
    if (!site) return;
    for (const faults::Fault& fault : faults::all_faults())
      if (const auto numbers = fault.plant(*site)) plant(fault, *site, *numbers, result, truth, got);
  }

 private:
  void plant(const faults::Fault& fault, const faults::Site& site, const faults::Numbers& numbers,
             const parity::cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) {
    const ir::Tensor tensor = faults::planted(site, numbers), perfect = faults::tensor_of(site.type, site.truth);
    const auto same = [&](const ir::TensorView& other) { return std::ranges::equal(tensor.bytes(), other.bytes()); };
    if (same(got) || same(perfect)) return;
    const auto comparison = parity::compare::compare(truth, tensor, result.allowed);
    const faults::Numbers found = faults::numbers_of(tensor);
    const Outcome outcome{comparison, site.truth, found, setting_.dtype};
    tally_.by_fault[fault.name].add(outcome);
    if (!fault.forbidden) return;
    tally_.faulty[setting_.family].add(outcome);
    tally_.required.add(outcome);
  }

  Tally& tally_;
  const Setting& setting_;
  const parity::cases::Case& subject_;
  const faults::Witness& witness_;
  ir::Executor& reference_;
  const bool plants_;
};

void run(Tally& tally, const Setting& setting, std::uint64_t seed, ir::Executor& reference, ir::Executor& candidate,
         bool plants) {
  const parity::cases::Case subject = setting.with_seed(seed);
  faults::Witness witness(candidate, plants ? setting.with_seed(seed + 1000).feeds : ir::Feeds{});
  Planter planter(tally, setting, subject, witness, reference, plants);
  const auto result = parity::verify::verify(
      subject, {.reference = reference, .candidate = &witness, .candidate_is_host = true}, {}, planter);
  if (result.verdict == parity::core::Verdict::failed)
    fmt::print(stderr, "{} seed {}: {}\n", setting.name, seed, result.nodes.front().why);
}

std::string header(std::string_view first, std::string_view second) {
  std::string names = fmt::format("| {} | {} |", first, second), rule = "|---|---|";
  for (const VerdictRule& one : verdict_rules()) {
    names += fmt::format(" {} |", one.name);
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

void print(const Tally& tally) {
  fmt::print("{}", header("false alarms", "comparisons"));
  for (const auto& [family, refused] : tally.clean) fmt::print("{}", refused.row(family));
  fmt::print("{}\n{}", tally.all_clean.row("**all**"), header("required faults caught", "planted"));
  for (const auto& [family, refused] : tally.faulty) fmt::print("{}", refused.row(family));
  fmt::print("{}\n{}", tally.required.row("**all**"), header("caught by kind", "planted"));
  for (const faults::Fault& fault : faults::all_faults())
    if (const auto found = tally.by_fault.find(fault.name); found != tally.by_fault.end())
      fmt::print("{}", found->second.row(fmt::format("{}{}", fault.name, fault.forbidden ? "" : " *")));
}

int main(int argc, char** argv) {
  const auto number = [&](int at, std::uint64_t preset) {
    return at < argc ? std::strtoull(argv[at], nullptr, 10) : preset;
  };
  const std::uint64_t clean_seeds = number(1, 80), faulty_seeds = number(2, 2);
  ref_cpu::CpuExecutor cpu = library::reference_executor();
  std::unique_ptr<gpu_vulkan::VulkanExecutor> gpu;
  if (argc <= 3) gpu = std::make_unique<gpu_vulkan::VulkanExecutor>();
  ir::Executor& candidate = gpu ? static_cast<ir::Executor&>(*gpu) : cpu;
  Tally tally;
  for (const Setting& setting : settings()) {
    for (std::uint64_t seed = 1; seed <= clean_seeds; ++seed) run(tally, setting, seed, cpu, candidate, false);
    for (std::uint64_t seed = 1; seed <= faulty_seeds; ++seed) run(tally, setting, seed, cpu, candidate, true);
  }
  fmt::print("Results of {}.\n\n", gpu ? gpu->facts().name : "the CPU executor");
  print(tally);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) try { return plumb::bench::main(argc, argv); } catch (const std::exception& error) {
  fmt::print(stderr, "plumb_verdict_rules: {}\n", error.what());
  return 2;
}
