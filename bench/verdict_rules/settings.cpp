#include "bench/verdict_rules/settings.hpp"

#include <fmt/format.h>

namespace plumb::bench {
namespace {

/// A graph of one op: T stands for the dtype, FILL for the distribution of its operands.
struct Template {
  std::string_view family, shape, inputs, node;
};

constexpr Template templates[] = {
    {"gemm", "64x256x64", R"("x": {"type": "T[64, 256]", FILL}, "w": {"type": "T[256, 64]", FILL})",
     R"("op": "matmul", "inputs": ["x", "w"])"},
    {"gemm", "33x1000x50", R"("x": {"type": "T[33, 1000]", FILL}, "w": {"type": "T[1000, 50]", FILL})",
     R"("op": "matmul", "inputs": ["x", "w"])"},
    {"gemm", "16x4096x32", R"("x": {"type": "T[16, 4096]", FILL}, "w": {"type": "T[4096, 32]", FILL})",
     R"("op": "matmul", "inputs": ["x", "w"])"},
    {"convolution", "32 channels 3x3",
     R"("x": {"type": "T[1, 32, 14, 14]", FILL}, "w": {"type": "T[32, 32, 3, 3]", FILL})",
     R"("op": "conv", "inputs": ["x", "w"], "pads": [1, 1, 1, 1])"},
    {"convolution", "64 channels 1x1",
     R"("x": {"type": "T[2, 64, 9, 9]", FILL}, "w": {"type": "T[48, 64, 1, 1]", FILL})",
     R"("op": "conv", "inputs": ["x", "w"])"},
    {"convolution", "bias, stride 2",
     R"("x": {"type": "T[1, 24, 15, 15]", FILL}, "w": {"type": "T[40, 24, 3, 3]", FILL}, "b": {"type": "T[40]", FILL})",
     R"("op": "conv", "inputs": ["x", "w", "b"], "strides": [2, 2], "has_bias": true)"},
    {"softmax", "64x128", R"("x": {"type": "T[64, 128]", FILL})", R"("op": "softmax", "inputs": ["x"])"},
    {"softmax", "16x1000", R"("x": {"type": "T[16, 1000]", FILL})", R"("op": "softmax", "inputs": ["x"])"},
    {"softmax", "20x33", R"("x": {"type": "T[20, 33]", FILL})", R"("op": "softmax", "inputs": ["x"])"},
    {"layer norm", "64x128",
     R"("x": {"type": "T[64, 128]", FILL}, "s": {"type": "T[128]", FILL}, "b": {"type": "T[128]", FILL})",
     R"("op": "layer_norm", "inputs": ["x", "s", "b"])"},
    {"layer norm", "16x1000",
     R"("x": {"type": "T[16, 1000]", FILL}, "s": {"type": "T[1000]", FILL}, "b": {"type": "T[1000]", FILL})",
     R"("op": "layer_norm", "inputs": ["x", "s", "b"])"},
    {"layer norm", "20x33", R"("x": {"type": "T[20, 33]", FILL})",
     R"("op": "layer_norm", "inputs": ["x"], "has_scale": false, "has_bias": false)"},
    {"attention", "2 heads 32x32",
     R"("q": {"type": "T[1, 2, 32, 32]", FILL}, "k": {"type": "T[1, 2, 32, 32]", FILL},
        "v": {"type": "T[1, 2, 32, 32]", FILL})",
     R"("op": "attention", "inputs": ["q", "k", "v"])"},
    {"attention", "causal 48x64",
     R"("q": {"type": "T[1, 2, 48, 64]", FILL}, "k": {"type": "T[1, 2, 48, 64]", FILL},
        "v": {"type": "T[1, 2, 48, 64]", FILL})",
     R"("op": "attention", "inputs": ["q", "k", "v"], "causal": true)"},
    {"attention", "17 queries, 100 keys",
     R"("q": {"type": "T[2, 1, 17, 40]", FILL}, "k": {"type": "T[2, 1, 100, 40]", FILL},
        "v": {"type": "T[2, 1, 100, 40]", FILL})",
     R"("op": "attention", "inputs": ["q", "k", "v"])"},
    {"reduction", "sum 32x1000", R"("x": {"type": "T[32, 1000]", FILL})",
     R"("op": "reduce", "function": "sum", "axes": [1], "inputs": ["x"])"},
    {"reduction", "mean 100x64x8", R"("x": {"type": "T[100, 64, 8]", FILL})",
     R"("op": "reduce", "function": "mean", "axes": [0], "inputs": ["x"])"},
    {"reduction", "sum 64x4096", R"("x": {"type": "T[64, 4096]", FILL})",
     R"("op": "reduce", "function": "sum", "axes": [1], "inputs": ["x"])"},
    {"gather", "rows of 200x64",
     R"("x": {"type": "T[200, 64]", FILL},
        "i": {"type": "i32[50]", "fill": {"distribution": "uniform_int", "low": 0, "high": 200}})",
     R"("op": "gather", "inputs": ["x", "i"])"},
    {"gather", "columns of 40x90",
     R"("x": {"type": "T[40, 90]", FILL},
        "i": {"type": "i32[33]", "fill": {"distribution": "uniform_int", "low": 0, "high": 90}})",
     R"("op": "gather", "axis": 1, "inputs": ["x", "i"])"},
    {"gather", "rows of 1000x20",
     R"("x": {"type": "T[1000, 20]", FILL},
        "i": {"type": "i64[8, 16]", "fill": {"distribution": "uniform_int", "low": 0, "high": 1000}})",
     R"("op": "gather", "inputs": ["x", "i"])"},
};

struct Distribution {
  std::string_view name, fill;
};

constexpr Distribution distributions[] = {
    {"U(-1,1)", R"("fill": {"distribution": "uniform", "low": -1, "high": 1})"},
    {"U(0,1)", R"("fill": {"distribution": "uniform", "low": 0, "high": 1})"},
    {"N(0,1)", R"("fill": {"distribution": "normal", "mean": 0, "scale": 1})"},
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace

parity::cases::Case Setting::with_seed(std::uint64_t seed) const {
  return {.name = name, .file = file, .feeds = ir::formats::materialise(*file, seed), .seed = seed};
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Template& one : templates)
    for (const Distribution& distribution : distributions)
      for (const ir::DType dtype : {ir::DType::f32, ir::DType::f16}) {
        const auto name = ir::info(dtype).name;
        const std::string inputs =
            replaced(replaced(std::string(one.inputs), "\"T[", fmt::format("\"{}[", name)), "FILL", distribution.fill);
        const std::string text =
            fmt::format(R"({{"format": "plumb.graph/1", "why": "how rules of verdicts compare", "inputs": {{{}}},
                             "nodes": [{{"label": "y", {}}}], "results": ["y"]}})",
                        inputs, one.node);
        all.push_back({std::string(one.family),
                       fmt::format("{} {} {} {}", one.family, one.shape, name, distribution.name), dtype,
                       std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."))});
      }
  return all;
}

}  // namespace plumb::bench
