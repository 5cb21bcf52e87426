// Measures what tiles are chosen by: every tile of matrix products over a grid of sizes, transfers, and submits.
#include "gpu_vulkan/calibrate/calibrate.hpp"

#include <algorithm>
#include <limits>

#include "gpu_vulkan/calibrate/measuring.hpp"
#include "gpu_vulkan/run/executable.hpp"
#include "ir/fill.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::gpu_vulkan::calibrate {
namespace {

using ir::DType;

constexpr std::array<std::int64_t, 4> timed_extents = {32, 128, 512, 2048};
constexpr std::size_t least_runs = 3, most_runs = 100;

void return_first(ir::Graph& graph, ir::Value y) {
  graph.returns(graph.add("first", first_element(graph.type(y).shape), {y}));
}

ir::Graph product_graph(DType dtype, const device::ProductSize& size) {
  ir::Graph graph;
  const ir::Value a = graph.param("a", {dtype, {size.m, size.k}}), b = graph.param("b", {dtype, {size.k, size.n}});
  return_first(graph, graph.add("y", ir::ops::Matmul{}, {a, b}));
  return graph;
}

ir::Feeds filled(const ir::Graph& graph) {
  ir::Feeds feeds;
  for (ir::Value v = 0; v < graph.value_count() && graph.is_source(v); ++v) {
    const ir::TensorType& type = graph.type(v);
    feeds.emplace(graph.name(v), ir::fill(type, ir::default_fill(type.dtype), 0, ir::stream_of(graph.name(v))));
  }
  return feeds;
}

double work(const device::ProductSize& size) { return 2.0 * static_cast<double>(size.m * size.n * size.k); }

void set_rate(device::Calibration& made, const std::string& kernel, double flops) {
  auto found = std::ranges::find(made.rates, kernel, &device::ProductRate::kernel);
  if (found == made.rates.end()) found = made.rates.insert(found, {kernel, 0});
  found->flops = std::max(found->flops, flops);
}

device::VulkanOptions measuring(device::VulkanOptions options) {
  options.timestamps = device::Timestamps::nodes;
  options.fuse = false;
  options.calibration = "off";
  options.tile.clear();
  options.fallback = device::Fallback::forbid;  // the host's time would be taken for the device's
  options.self_test = false;                    // timing needs no test; a tile that is chosen later is tested then
  options.dump.clear();
  return options;
}

/// The measurements that Calibrator::measure makes.
class Measurement {
 public:
  Measurement(VulkanExecutor& executor, const CalibrateEffort& effort, const CalibrateProgress& progress)
      : executor_(executor), effort_(effort), progress_(progress) {}

  device::Calibration make();

 private:
  struct Prepared {
    std::string kernel;
    device::ProductSize size;
    std::string tile;
    std::unique_ptr<ir::Executable> executable;
  };

  std::unique_ptr<ir::Executable> compiled(const ir::Graph& graph, const ir::Feeds& feeds,
                                           const std::string& tile = {}) {
    return executor_.compile(graph, feeds, {graph.results()}, {.tile = tile, .staging = executor_.options().staging});
  }

  void warm_up();
  void transfers(device::Calibration& made);
  std::vector<device::ProductSize> sizes() const;
  std::vector<Prepared> prepared(DType dtype, const device::ProductSize& size);
  void products(DType dtype, device::Calibration& made);
  /// The first node's time in microseconds, 0 where runs are too short for the device's clock; nothing where the first
  /// run takes longer than that many milliseconds. Feeds were params.
  std::optional<double> device_time(ir::Executable& executable, double longest_ms);
  /// The time of a whole run in microseconds, as the host's clock sees it.
  double host_time(const ir::Graph& graph, const ir::Feeds& feeds, device::Staging staging);

  VulkanExecutor& executor_;
  const CalibrateEffort& effort_;
  const CalibrateProgress& progress_;
};

std::optional<double> Measurement::device_time(ir::Executable& executable, double longest_ms) {
  ir::Tensors results;
  const auto run = [&] {
    executable.run_into({}, results);
    return 1e-3 * static_cast<double>(executable.nodes().front().nanoseconds.value_or(0));
  };
  // A driver may still compile in the first run.
  if (run() > 1e3 * longest_ms && run() > 1e3 * longest_ms) return std::nullopt;
  std::vector<double> times;
  double spent = 0;
  while (times.size() < least_runs || (spent < 1e3 * effort_.budget_ms && times.size() < most_runs)) {
    times.push_back(run());
    spent += times.back();
  }
  return median(times);
}

double Measurement::host_time(const ir::Graph& graph, const ir::Feeds& feeds, device::Staging staging) {
  const GraphOptions options{.staging = staging, .timestamps = device::Timestamps::off};
  const auto executable = executor_.compile(graph, feeds, {graph.results()}, options);
  ir::Tensors results;
  std::vector<double> times;
  for (std::size_t i = 0; i < 2 + 2 * least_runs; ++i) {
    executable->run_into(feeds, results);
    const run::RunTimes spent = dynamic_cast<const run::VulkanExecutable&>(*executable).times();
    times.push_back(1e-3 * static_cast<double>(spent.upload + spent.submit + spent.wait + spent.download));
  }
  return median(times);
}

void Measurement::warm_up() {
  const ir::Graph graph = product_graph(DType::f32, {512, 512, 512});
  const ir::Feeds feeds = filled(graph);
  const auto executable = compiled(graph, feeds);
  double spent = 0;
  for (ir::Tensors results; spent < effort_.warm_ms;) {
    executable->run_into(feeds, results);
    const run::RunTimes times = dynamic_cast<const run::VulkanExecutable&>(*executable).times();
    spent += 1e-6 * static_cast<double>(times.submit + times.wait);
  }
}

void Measurement::transfers(device::Calibration& made) {
  const device::DeviceFacts& facts = executor_.facts();
  // The copy on the device reads one more element.
  const std::size_t most = std::min(facts.max_buffer_range, facts.max_allocation) / sizeof(float) - 1;
  const auto elements = static_cast<std::int64_t>(std::min(effort_.transfer_bytes / sizeof(float), most));
  const auto bytes = static_cast<double>(elements) * sizeof(float);
  const ir::ops::Unary negate{ir::ops::UnaryFunction::negate};
  ir::Graph small, up, down, copy;
  small.returns(small.add("y", negate, {small.input("x", {DType::f32, {4}})}));
  made.submit_microseconds = host_time(small, filled(small), executor_.options().staging);
  return_first(up, up.input("x", {DType::f32, {elements}}));
  made.host_to_device =
      1e6 * bytes / host_time(up, {{"x", ir::Tensor({DType::f32, {elements}})}}, device::Staging::always);
  down.returns(down.add("y", ir::ops::Expand{{elements}}, {down.param("x", {DType::f32, {1}})}));
  made.device_to_host = 1e6 * bytes / host_time(down, filled(down), device::Staging::always);
  const ir::Value x = copy.param("x", {DType::f32, {elements + 1}});
  return_first(copy, copy.add("y", ir::ops::Slice{{0}, {1}, {elements}, {}}, {x}));
  const ir::Feeds zeros = {{"x", ir::Tensor({DType::f32, {elements + 1}})}};
  const auto executable = compiled(copy, zeros);
  // As long as it takes: what transfers are is said of every device, and the other two have no limit either.
  if (const auto time = device_time(*executable, std::numeric_limits<double>::infinity()); time && *time > 0)
    made.device_copy = 2e6 * bytes / *time;
}

std::vector<device::ProductSize> Measurement::sizes() const {
  std::vector<device::ProductSize> all;
  for (const std::int64_t m : timed_extents)
    for (const std::int64_t k : timed_extents)
      for (const std::int64_t n : timed_extents)
        if (std::max({m, k, n}) <= effort_.largest) all.push_back({m, n, k});
  std::ranges::stable_sort(all, {}, work);
  return all;
}

std::vector<Measurement::Prepared> Measurement::prepared(DType dtype, const device::ProductSize& size) {
  const ir::Graph graph = product_graph(dtype, size);
  const plan::KernelChoice choice = plan::lowered_choice(graph, executor_.facts(), executor_.plan_options());
  const ir::Feeds feeds = filled(graph);
  std::vector<Prepared> made;
  for (const plan::TileOption& tile : choice.tiles)
    if (tile.fits) made.push_back({choice.tile_kernel, size, tile.name, compiled(graph, feeds, tile.name)});
  return made;
}

/// All is compiled before anything is timed: a GPU that waits for a compiler falls back to a lower clock rate.
void Measurement::products(DType dtype, device::Calibration& made) {
  std::vector<std::vector<Prepared>> all;
  const auto wanted = sizes();
  for (const device::ProductSize& size : wanted) {
    progress_(ir::cat(dtype, ' ', size.m, 'x', size.k, 'x', size.n), all.size(), wanted.size());
    all.push_back(prepared(dtype, size));
  }
  warm_up();
  for (const auto& tiles : all) {
    if (tiles.empty()) continue;  // its kernel has one
    device::TileTimes found{.kernel = tiles.front().kernel, .size = tiles.front().size};
    for (const Prepared& one : tiles) {
      const auto time = device_time(*one.executable, effort_.longest_ms);
      if (!time) return;  // larger sizes take longer still
      if (*time > 0) found.times.push_back({one.tile, *time});
    }
    if (found.times.empty()) continue;  // too short for the device's clock
    std::ranges::stable_sort(found.times, {}, &device::TileTime::microseconds);
    set_rate(made, found.kernel, 1e6 * work(found.size) / found.times.front().microseconds);
    made.products.push_back(std::move(found));
  }
}

device::Calibration Measurement::make() {
  device::Calibration made;
  warm_up();
  progress_("transfers", 0, 1);
  transfers(made);
  for (const DType dtype : effort_.dtypes)
    if (executor_.facts().holds(dtype)) products(dtype, made);
  return made;
}

}  // namespace

Calibrator::Calibrator(device::VulkanOptions options) : executor_(measuring(std::move(options))) {
  if (!facts().timestamps) throw ir::Unsupported(facts().name + " has no timestamps");
}

device::Calibration Calibrator::measure(const CalibrateEffort& effort, const CalibrateProgress& progress) {
  return Measurement(executor_, effort, progress).make();
}

}  // namespace plumb::gpu_vulkan::calibrate
