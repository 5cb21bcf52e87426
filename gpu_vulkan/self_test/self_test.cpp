#include "gpu_vulkan/self_test/self_test.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <sstream>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "ir/convert.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::gpu_vulkan::self_test {
namespace {

using ir::DType;

/// OpCapability CooperativeMatrixKHR among the capabilities, with which every module begins.
bool declares_cooperative_matrices(std::span<const std::uint32_t> words) {
  constexpr std::size_t header = 5;
  constexpr std::uint32_t capability = 2u << 16 | 17u, cooperative_matrix = 6022;
  for (std::size_t at = header; at + 1 < words.size() && words[at] == capability; at += 2)
    if (words[at + 1] == cooperative_matrix) return true;
  return false;
}

/// A tensor of whole numbers between -2 and 2.
ir::Tensor whole_numbers(const ir::TensorType& type, std::size_t step) {
  ir::Tensor wide({DType::f64, type.shape});
  std::size_t at = 0;
  for (double& x : wide.as<double>()) x = static_cast<double>((at += step) % 5) - 2;
  return ir::convert(wide, type.dtype);
}

/// The first element that is not what it should be: the right number, rounded to its dtype.
std::string difference(const ir::Tensor& found, const ir::Tensor& right) {
  const ir::Tensor wide = ir::convert(found, DType::f64);
  const ir::Tensor rounded = ir::convert(ir::convert(right, found.dtype()), DType::f64);
  for (std::size_t i = 0; i < rounded.as<double>().size(); ++i)
    if (const double x = wide.as<double>()[i], y = rounded.as<double>()[i]; x != y)
      return ir::cat("element ", i, " of ", found.type(), " is ", x, ", right is ", y);
  return {};
}

ir::Tensor in_f64(const ir::Feeds& feeds, const char* name) { return ir::convert(feeds.at(name), DType::f64); }

/// The graphs of one node by which a kernel is tested, and what comes out of them.
struct Subject {
  std::string_view what;
  std::vector<ir::Graph> graphs;  ///< one of which runs the tile, the best first
  std::function<ir::Feeds(const ir::Graph& graph)> feeds;
  std::function<ir::Tensor(const ir::Graph& graph, const ir::Feeds& feeds)> right;  ///< in f64, without an error
};

ir::Feeds whole_feeds(const ir::Graph& graph) {
  ir::Feeds feeds;
  for (const std::size_t i : {0, 1}) feeds.emplace(graph.name(i), whole_numbers(graph.type(i), i == 0 ? 3 : 7));
  return feeds;
}

ir::Tensor right_product(const ir::Graph& graph, const ir::Feeds& feeds) {
  const bool turned = graph.nodes()[0].op.as<ir::ops::Matmul>().transpose_a;
  const ir::Tensor a = in_f64(feeds, "a"), b = in_f64(feeds, "b");
  ir::Tensor y({DType::f64, graph.type(graph.results()[0]).shape});
  const std::int64_t m = y.shape()[0], n = y.shape()[1], k = b.shape()[0];
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double& sum = y.as<double>()[static_cast<std::size_t>(i * n + j)];
      for (std::int64_t t = 0; t < k; ++t)
        sum += a.as<double>()[static_cast<std::size_t>(turned ? t * m + i : i * k + t)] *
               b.as<double>()[static_cast<std::size_t>(t * n + j)];
    }
  return y;
}

/// Whole tiles and lines of whole pieces; parts of tiles and lines of odd lengths. Turned, a takes less shared memory.
Subject products_by(const plan::CooperativeKernel& kernel) {
  Subject all{"product", {}, whole_feeds, right_product};
  ir::ops::Matmul op;
  if (kernel.result == DType::f32) op.output_dtype = DType::f32;
  if (kernel.accumulator == DType::f16) op.accumulator = DType::f16;
  const DType dtype = kernel.operands;
  for (const bool turned : {false, true})
    for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{136, 72, 144}, {67, 131, 33}}) {
      op.transpose_a = turned;
      const ir::Shape a = turned ? ir::Shape{k, m} : ir::Shape{m, k};
      ir::Graph& graph = all.graphs.emplace_back();
      graph.returns(graph.add("y", op, {graph.input("a", {dtype, a}), graph.input("b", {dtype, {k, n}})}));
    }
  return all;
}

ir::Tensor right_convolution(const ir::Graph& graph, const ir::Feeds& feeds) {
  const std::int64_t stride = graph.nodes()[0].op.as<ir::ops::Conv>().strides[0];
  const ir::Tensor x = in_f64(feeds, "x"), w = in_f64(feeds, "w");
  ir::Tensor y({DType::f64, graph.type(graph.results()[0]).shape});
  // Number `plane` of the images of a tensor, 0 outside.
  const auto at = [](const ir::Tensor& t, std::int64_t plane, std::int64_t r, std::int64_t c) -> double {
    const std::int64_t rows = t.shape()[2], columns = t.shape()[3];
    if (r < 0 || r >= rows || c < 0 || c >= columns) return 0;
    return t.as<double>()[static_cast<std::size_t>((plane * rows + r) * columns + c)];
  };
  const std::int64_t filters = w.shape()[0], channels = w.shape()[1], high = w.shape()[2], wide = w.shape()[3];
  const std::int64_t down = y.shape()[2], across = y.shape()[3];
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    const std::int64_t c = i % across, r = i / across % down, f = i / (across * down) % filters;
    double& sum = y.as<double>()[static_cast<std::size_t>(i)];
    for (std::int64_t t = 0; t < channels * high * wide; ++t) {
      const std::int64_t channel = t / (high * wide), tr = t / wide % high, tc = t % wide;
      sum += at(w, f * channels + channel, tr, tc) *
             at(x, i / (across * down * filters) * channels + channel, r * stride + tr - 1, c * stride + tc - 1);
    }
  }
  return y;
}

void add_convolution(Subject& all, std::int64_t stride, const ir::TensorType& images, const ir::Shape& filters,
                     std::optional<DType> accumulator = {}) {
  const ir::ops::Conv op{
      .strides = {stride, stride}, .dilations = {}, .pads = {1, 1, 1, 1}, .accumulator = accumulator};
  ir::Graph& graph = all.graphs.emplace_back();
  const ir::Value x = graph.input("x", images), w = graph.input("w", {images.dtype, filters});
  graph.returns(graph.add("y", op, {x, w}));
}

/// On padded images. Filters do not quite fill tiles.
Subject convolutions_by(const plan::CooperativeKernel& kernel, const device::DeviceFacts& facts) {
  Subject all{"convolution", {}, whole_feeds, right_convolution};
  const DType dtype = kernel.operands;
  if (kernel.kind == plan::CooperativeKernel::Kind::convolution) {
    const device::CooperativeShape* const shape = kernels::gemm::shape_summed_in_f32(dtype, facts);
    const std::int64_t filters = 8 * (shape == nullptr ? 16 : shape->m) - 8;
    for (const std::int64_t channels : {8, 7})  // terms in whole pieces, and not
      add_convolution(all, 2, {dtype, {2, channels, 9, 11}}, {filters, channels, 3, 3},
                      kernel.accumulator == DType::f16 ? std::optional(DType::f16) : std::nullopt);
    return all;
  }
  constexpr std::int64_t filters = 70, channels = 40, high = 21, wide = 19;
  using Taps = std::array<std::int64_t, 2>;
  // Three at a time, two, and one; of one row they take less shared memory. So many images are worth the kernel.
  for (const auto& [rows, columns] : {Taps{3, 3}, Taps{1, 3}, Taps{2, 2}, Taps{1, 2}, Taps{5, 5}, Taps{1, 5}}) {
    const std::int64_t images = (1 << 24) / (filters * channels * rows * columns * high * wide) + 1;
    add_convolution(all, 1, {dtype, {images, channels, high, wide}}, {filters, channels, rows, columns});
  }
  return all;
}

/// Query i is key i, modulo their number, each a line of its own axis, so far from the others that their weights are 0.
ir::Feeds axes_and_values(const ir::Graph& graph) {
  ir::Feeds feeds;
  for (const std::size_t i : {0, 1}) {
    const ir::TensorType& type = graph.type(i);
    const std::int64_t lines = type.shape[2], width = type.shape[3];
    ir::Tensor axes({DType::f64, type.shape});
    for (std::int64_t line = 0; line < lines; ++line)
      axes.as<double>()[static_cast<std::size_t>(line * width + line % width)] = 16;
    feeds.emplace(graph.name(i), ir::convert(axes, type.dtype));
  }
  feeds.emplace("v", whole_numbers(graph.type(2), 3));
  return feeds;
}

/// The value of the query's key.
ir::Tensor right_attention(const ir::Graph& graph, const ir::Feeds& feeds) {
  const ir::Tensor v = in_f64(feeds, "v");
  ir::Tensor y({DType::f64, graph.type(graph.results()[0]).shape});
  const auto values = v.as<double>();
  for (std::size_t i = 0; double& element : y.as<double>()) element = values[i++ % values.size()];
  return y;
}

/// Attentions with every head width that kernels tell apart, usual ones first, and queries that do not fill blocks.
Subject attentions_by(const plan::CooperativeKernel& kernel, const device::DeviceFacts& facts) {
  Subject all{"attention", {}, axes_and_values, right_attention};
  const DType dtype = kernel.operands;
  const device::CooperativeShape* const shape = kernels::gemm::shape_summed_in_f32(dtype, facts);
  const std::int64_t matrix = shape == nullptr ? 16 : shape->n, rows = shape == nullptr ? 16 : shape->m;
  std::vector<std::array<std::int64_t, 2>> widths = {{4, 4}, {5, 5}};
  for (const std::int64_t apart : {0, 1})
    for (std::int64_t d = 1; d <= 16; ++d)
      for (std::int64_t dv = 1; dv <= 16; ++dv)
        if ((d != dv) == (apart == 1)) widths.push_back({d, dv});
  for (const auto& [d, dv] : widths)
    for (const std::int64_t queries : {7 * rows - 3, 3 * rows - 3, 2 * rows - 3}) {
      const std::int64_t D = d * matrix, Dv = dv * matrix;
      ir::Graph& graph = all.graphs.emplace_back();
      const ir::Value q = graph.input("q", {dtype, {1, 1, queries, D}});
      const ir::Value k = graph.input("k", {dtype, {1, 1, D, D}});
      const ir::Value v = graph.input("v", {dtype, {1, 1, D, Dv}});
      graph.returns(graph.add("y", ir::ops::Attention{.scale = 1.0}, {q, k, v}));
    }
  return all;
}

Subject subject_of(const plan::CooperativeKernel& kernel, const device::DeviceFacts& facts) {
  using Kind = plan::CooperativeKernel::Kind;
  switch (kernel.kind) {
    case Kind::product:
      return products_by(kernel);
    case Kind::convolution:
    case Kind::halo_convolution:
      return convolutions_by(kernel, facts);
    default:
      return attentions_by(kernel, facts);
  }
}

/// By which of its kernel's tiles a graph runs the wanted one; nothing when it does by none.
std::optional<std::string> tile_by_name(const ir::Graph& graph, const device::DeviceFacts& facts,
                                        plan::PlanOptions options, const plan::CooperativeKernel& wanted) {
  std::vector<std::string> names;
  for (const plan::TileOption& tile : plan::lowered_choice(graph, facts, options).tiles)
    if (tile.fits) names.push_back(tile.name);
  if (names.empty()) names.emplace_back();
  for (const std::string& name : names) {
    options.tile = name;
    if (cooperative_kernels(plan::make_plan(graph, {graph.results()}, facts, options)).contains(wanted)) return name;
  }
  return std::nullopt;
}

/// Outcomes by tile: "passed", or the fault in words.
using Outcomes = std::map<std::string, std::string>;

constexpr std::string_view passed = "passed", separator = ": ";
constexpr cache::CacheMagic outcomes_magic = {'p', 'l', 'u', 'm', 'b', 's', 't', '1'};

Outcomes load_outcomes(const std::filesystem::path& path) {
  const auto bytes = cache::load_checked(path, outcomes_magic);
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  Outcomes found;
  for (std::string line; std::getline(text, line);)
    if (const auto end = line.find(separator); end != std::string::npos)
      found.emplace(line.substr(0, end), line.substr(end + separator.size()));
  return found;
}

bool store_outcomes(const std::filesystem::path& path, const Outcomes& outcomes) {
  std::string text;
  for (const auto& [tile, outcome] : outcomes) text += ir::cat(tile, separator, outcome, '\n');
  return cache::store_checked(path, outcomes_magic, std::as_bytes(std::span(text)));
}

std::string first_fault(const Outcomes& outcomes) {
  for (const auto& [tile, outcome] : outcomes)
    if (outcome != passed) return outcome;
  return {};
}

/// Outcomes of a device, in their file or, where that cannot be written, for the rest of this process.
class Kept {
 public:
  Kept(const device::DeviceFacts& facts, std::string_view cache_option)
      : folder_(cache::cache_folder(cache_option)), path_(self_test_file(facts, folder_)) {}

  Outcomes load() const {
    Outcomes found = folder_.empty() ? Outcomes{} : load_outcomes(path_);
    const std::scoped_lock lock(guard_);
    const Outcomes& here = unstored_[path_];
    found.insert(here.begin(), here.end());
    return found;
  }

  void store(const Outcomes& outcomes) const {
    if (!folder_.empty() && store_outcomes(path_, outcomes)) return;
    const std::scoped_lock lock(guard_);
    unstored_[path_].insert(outcomes.begin(), outcomes.end());
  }

  /// Nobody else tests meanwhile; nothing where there is no folder.
  std::unique_ptr<cache::CacheLock> alone() const {
    auto path = path_;
    return folder_.empty() ? nullptr : std::make_unique<cache::CacheLock>(path.replace_extension(".lock"));
  }

 private:
  static inline std::mutex guard_;
  static inline std::map<std::filesystem::path, Outcomes> unstored_;

  std::filesystem::path folder_, path_;
};

}  // namespace

bool has_cooperative_matrices(std::string_view module) {
  const auto blobs = kernels::common::shader_blobs();
  const auto found = std::ranges::lower_bound(blobs, module, {}, &kernels::common::ShaderBlob::name);
  return found != blobs.end() && found->name == module && declares_cooperative_matrices(found->words);
}

CooperativeKernels cooperative_kernels(const plan::Plan& plan) {
  CooperativeKernels kernels;
  for (const plan::Dispatch& dispatch : plan.schedule.dispatches) {
    const plan::Shader& shader = dispatch.shader;
    if (shader.cooperative) kernels.insert(*shader.cooperative);
    ir::require(shader.cooperative || !has_cooperative_matrices(shader.name), shader.name,
                " has cooperative matrices and does not say what it computes by them");
  }
  return kernels;
}

std::string self_test(const device::DeviceFacts& facts, const plan::PlanOptions& options, const RunOnDevice& run,
                      const plan::CooperativeKernel& kernel) {
  const Subject subject = subject_of(kernel, facts);
  for (const ir::Graph& graph : subject.graphs) {
    const auto name = tile_by_name(graph, facts, options, kernel);
    if (!name) continue;
    const ir::Feeds feeds = subject.feeds(graph);
    const ir::Tensor found = run(graph, feeds, *name);
    const std::string wrong = difference(found, subject.right(graph, feeds));
    return wrong.empty() ? "" : ir::cat(subject.what, " by ", to_text(kernel), ": ", wrong);
  }
  return ir::cat(to_text(kernel), ": there is no test of it on this device");
}

std::string self_test_once(const device::DeviceFacts& facts, const plan::PlanOptions& options,
                           std::string_view cache_option, const RunOnDevice& run, const CooperativeKernels& kernels) {
  const Kept kept(facts, cache_option);
  const auto is_settled = [&](const Outcomes& known) {
    return !first_fault(known).empty() ||
           std::ranges::all_of(kernels, [&](const auto& kernel) { return known.contains(to_text(kernel)); });
  };
  Outcomes known = kept.load();
  if (is_settled(known)) return first_fault(known);
  const auto alone = kept.alone();
  known = kept.load();  // another process may just have tested them
  if (is_settled(known)) return first_fault(known);
  for (const plan::CooperativeKernel& kernel : kernels) {
    if (known.contains(to_text(kernel))) continue;
    const std::string wrong = self_test(facts, options, run, kernel);
    known[to_text(kernel)] = wrong.empty() ? passed : wrong;
    if (!wrong.empty()) break;
  }
  kept.store(known);
  return first_fault(known);
}

std::string kept_doubt(const device::DeviceFacts& facts, std::string_view cache_option) {
  return facts.cooperative_shapes.empty() ? "" : first_fault(Kept(facts, cache_option).load());
}

std::filesystem::path self_test_file(const device::DeviceFacts& facts, const std::filesystem::path& folder) {
  return folder / ir::cat("selftest-", cache::cache_key(facts), ".bin");
}

}  // namespace plumb::gpu_vulkan::self_test
