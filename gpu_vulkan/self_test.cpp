#include "gpu_vulkan/self_test.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include "gpu_vulkan/cooperative.hpp"
#include "gpu_vulkan/runtime/cache_files.hpp"
#include "gpu_vulkan/shader_blobs.hpp"
#include "ir/convert.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::gpu_vulkan {
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

/// Of whole numbers between -2 and 2.
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

/// A product or a convolution.
struct TileTest {
  ir::Graph graph;
  ir::Feeds feeds;
  ir::Tensor right;  ///< in f64, without an error
};

TileTest product_test(DType dtype, std::int64_t m, std::int64_t k, std::int64_t n, const ir::ops::Matmul& op = {}) {
  TileTest test;
  const ir::TensorType a = {dtype, {m, k}}, b = {dtype, {k, n}};
  test.graph.returns(test.graph.add("y", op, {test.graph.input("a", a), test.graph.input("b", b)}));
  const auto& left = test.feeds.emplace("a", whole_numbers(a, 3)).first->second;
  const auto& right = test.feeds.emplace("b", whole_numbers(b, 7)).first->second;
  const ir::Tensor x = ir::convert(left, DType::f64), z = ir::convert(right, DType::f64);
  test.right = ir::Tensor({DType::f64, {m, n}});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double& sum = test.right.as<double>()[static_cast<std::size_t>(i * n + j)];
      for (std::int64_t t = 0; t < k; ++t)
        sum += x.as<double>()[static_cast<std::size_t>(i * k + t)] *
               z.as<double>()[static_cast<std::size_t>(t * n + j)];
    }
  return test;
}

/// Of 3 x 3 filters on padded images.
TileTest convolution_test(DType dtype, std::int64_t stride, const ir::Shape& images, std::int64_t filters) {
  constexpr std::int64_t taps = 3;
  const std::int64_t channels = images[1];
  TileTest test;
  const ir::TensorType x = {dtype, images}, w = {dtype, {filters, channels, taps, taps}};
  const ir::ops::Conv op{.strides = {stride, stride}, .dilations = {}, .pads = {1, 1, 1, 1}};
  test.graph.returns(test.graph.add("y", op, {test.graph.input("x", x), test.graph.input("w", w)}));
  const ir::Tensor image = ir::convert(test.feeds.emplace("x", whole_numbers(x, 3)).first->second, DType::f64);
  const ir::Tensor weights = ir::convert(test.feeds.emplace("w", whole_numbers(w, 7)).first->second, DType::f64);
  test.right = ir::Tensor({DType::f64, test.graph.type(test.graph.results()[0]).shape});
  // Number `plane` of the images of a tensor, 0 outside.
  const auto at = [](const ir::Tensor& t, std::int64_t plane, std::int64_t r, std::int64_t c) -> double {
    const std::int64_t rows = t.shape()[2], columns = t.shape()[3];
    if (r < 0 || r >= rows || c < 0 || c >= columns) return 0;
    return t.as<double>()[static_cast<std::size_t>((plane * rows + r) * columns + c)];
  };
  const std::int64_t down = test.right.shape()[2], across = test.right.shape()[3];
  for (std::int64_t i = 0; i < test.right.elements(); ++i) {
    const std::int64_t c = i % across, r = i / across % down, f = i / (across * down) % filters;
    double& sum = test.right.as<double>()[static_cast<std::size_t>(i)];
    for (std::int64_t t = 0; t < channels * taps * taps; ++t) {
      const std::int64_t channel = t / (taps * taps), tr = t / taps % taps, tc = t % taps;
      sum += at(weights, f * channels + channel, tr, tc) *
             at(image, i / (across * down * filters) * channels + channel, r * stride + tr - 1, c * stride + tc - 1);
    }
  }
  return test;
}

/// By every tile that its kernel has here.
std::string check_tiles(const DeviceFacts& facts, const RunOnDevice& run, const TileTest& test) {
  const std::string_view what = test.graph.nodes()[0].op.is<ir::ops::Conv>() ? "convolution" : "product";
  for (const TileOption& tile : lowered_choice(test.graph, facts).tiles) {
    if (!tile.fits) continue;
    const auto wrong = difference(run(test.graph, test.feeds, tile.name), test.right);
    if (!wrong.empty()) return ir::cat(what, " by tile ", tile.name, ": ", wrong);
  }
  return {};
}

/// Query i is key i alone, each a line of its own axis, so far from the others that their weights are 0: y is v. Of
/// heads that are narrow to kernels, and of wide ones.
std::string check_attention(const DeviceFacts& facts, const RunOnDevice& run) {
  const CooperativeShape* const shape = shape_summed_in_f32(DType::f16, facts);
  const std::int64_t matrix = shape == nullptr ? 16 : shape->n;
  for (const std::int64_t size : {4 * matrix, 7 * matrix}) {
    const ir::TensorType type = {DType::f16, {1, 1, size, size}};
    ir::Graph graph;
    const ir::ops::Attention op{.scale = 1.0};
    graph.returns(graph.add("y", op, {graph.input("q", type), graph.input("k", type), graph.input("v", type)}));
    ir::Tensor axes({DType::f64, type.shape});
    for (std::int64_t i = 0; i < size; ++i) axes.as<double>()[static_cast<std::size_t>(i * (size + 1))] = 16;
    const ir::Tensor axes16 = ir::convert(axes, DType::f16), v = whole_numbers(type, 3);
    const auto wrong =
        difference(run(graph, {{"q", axes16}, {"k", axes16}, {"v", v}}, {}), ir::convert(v, DType::f64));
    if (!wrong.empty()) return ir::cat("attention of heads ", size, " wide: ", wrong);
  }
  return {};
}

const std::string passed = "passed";

std::string read_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::optional<CooperativeFamily> cooperative_family(std::string_view shader) {
  const auto blobs = shader_blobs();
  const auto found = std::ranges::lower_bound(blobs, shader, {}, &ShaderBlob::name);
  const bool exists = found != blobs.end() && found->name == shader;
  if (!exists || !declares_cooperative_matrices(found->words)) return std::nullopt;
  if (shader.starts_with("matmul_cooperative.f16acc16")) return CooperativeFamily::products_in_f16;
  if (shader.starts_with("matmul_")) return CooperativeFamily::products;
  if (shader.starts_with("conv_")) return CooperativeFamily::convolutions;
  if (shader.starts_with("attention_")) return CooperativeFamily::attention;
  ir::fail("no self-test is for the cooperative matrices of ", shader);
}

std::set<CooperativeFamily> cooperative_families(const Plan& plan) {
  std::set<CooperativeFamily> families;
  for (const Dispatch& dispatch : plan.schedule.dispatches)
    if (const auto family = cooperative_family(dispatch.shader.name)) families.insert(*family);
  return families;
}

std::string self_test(const DeviceFacts& facts, const RunOnDevice& run, CooperativeFamily family) {
  if (family == CooperativeFamily::attention) return facts.holds(DType::f16) ? check_attention(facts, run) : "";
  // Whole tiles and lines of whole pieces; parts of tiles and lines of odd lengths.
  const auto products = [](DType dtype, const ir::ops::Matmul& op) {
    return std::vector{product_test(dtype, 136, 72, 144, op), product_test(dtype, 67, 131, 33, op)};
  };
  std::vector<TileTest> tests;
  if (family == CooperativeFamily::products_in_f16 && facts.holds(DType::f16))
    tests = products(DType::f16, {.output_dtype = DType::f32, .accumulator = DType::f16});
  for (const DType dtype : {DType::f16, DType::bf16}) {
    if (shape_summed_in_f32(dtype, facts) == nullptr || !facts.holds(dtype)) continue;
    if (family == CooperativeFamily::products) std::ranges::move(products(dtype, {}), std::back_inserter(tests));
    if (family != CooperativeFamily::convolutions) continue;
    tests.push_back(convolution_test(dtype, 2, {2, 8, 9, 11}, 120));
    tests.push_back(convolution_test(dtype, 1, {2, 40, 21, 19}, 70));  // large enough for what large ones are worth
  }
  for (const TileTest& test : tests)
    if (auto wrong = check_tiles(facts, run, test); !wrong.empty()) return wrong;
  return {};
}

std::string self_test_once(const DeviceFacts& facts, std::string_view cache_option, const RunOnDevice& run,
                           CooperativeFamily family) {
  static std::mutex guard;
  static std::map<std::string, std::string> known;  // by file, or by device where there is none
  const auto folder = cache_folder(cache_option);
  const auto name = ir::cat("selftest-", ir::enum_name(family), '-', cache_key(facts), ".txt");
  const std::string path = folder.empty() ? name : (folder / name).string();
  const std::scoped_lock lock(guard);
  if (const auto found = known.find(path); found != known.end()) return found->second;
  std::string outcome = folder.empty() ? "" : read_line(path);
  if (outcome.empty()) {
    const std::string wrong = self_test(facts, run, family);
    outcome = wrong.empty() ? passed : wrong;
    const std::string text = outcome + '\n';
    if (!folder.empty()) store_whole(path, std::as_bytes(std::span(text)));  // else it runs again next time
  }
  return known[path] = outcome == passed ? "" : outcome;
}

}  // namespace plumb::gpu_vulkan
