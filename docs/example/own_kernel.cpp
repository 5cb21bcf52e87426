// A softmax of one's own, judged: whoever implements ir::Executor is a candidate, whatever runs behind it.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "ir/ops/softmax.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

/// What is judged: softmax along the last axis, of which `off` spoils one element.
void softmax(std::span<const float> x, std::span<float> y, std::size_t n, float off) {
  for (std::size_t row = 0; row < x.size(); row += n) {
    const float top = *std::max_element(&x[row], &x[row] + n);
    float sum = 0;
    for (std::size_t i = row; i < row + n; ++i) sum += y[i] = std::exp(x[i] - top);
    for (std::size_t i = row; i < row + n; ++i) y[i] /= sum;
  }
  y[5] *= 1 + off;
}

/// A graph, ready to run: here one node.
class MyProgram final : public ir::Executable {
 public:
  MyProgram(const ir::Graph& graph, float off) : graph_(graph), off_(off) {}
  ir::Tensors run(const ir::Feeds& inputs) override {
    const ir::Tensor& x = inputs.at(graph_.inputs()[0]);
    ir::Tensor y(x.type());
    softmax(x.as<float>(), y.as<float>(), static_cast<std::size_t>(x.shape()[1]), off_);
    return {{graph_.results()[0], y}};
  }
  std::vector<ir::NodeReport> nodes() const override {
    ir::NodeReport report;
    report.placement = ir::Placement::gpu, report.kernel = "mine";  // cpu would say that nothing was tried
    return {report};
  }

 private:
  ir::Graph graph_;
  float off_;
};

class Mine final : public ir::Executor {
 public:
  explicit Mine(float off) : off_(off) {}
  std::string_view name() const override { return "mine"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }  // there is one node to ask for
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds&, const ir::Capture&) override {
    return std::make_unique<MyProgram>(graph, off_);
  }

 private:
  float off_;
};

int main() {
  const auto file = std::make_shared<ir::formats::GraphFile>();
  const ir::Value x = file->graph.input("x", {ir::DType::f32, {8, 1000}});
  file->graph.returns(file->graph.add("y", ir::ops::Softmax{}, {x}));
  ir::Tensor numbers({ir::DType::f32, {8, 1000}});
  for (std::size_t i = 0; i < 8000; ++i) numbers.as<float>()[i] = 4 * std::sin(static_cast<float>(i));
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer silent;
  for (const float off : {0.f, 1e-3f}) {
    Mine mine(off);
    const auto result = parity::verify::verify({.name = "softmax", .file = file, .feeds = {{"x", numbers}}},
                                               {.reference = cpu, .candidate = &mine}, {}, silent);
    for (const parity::cases::NodeResult& node : result.nodes)
      std::cout << "off by " << off << ": " << ir::enum_name(node.verdict) << ", " << node.local.ratio()
                << " of the limit\n";
  }
}
