#include "tests/support/emulated_device.hpp"

#include <cmath>

#include "ir/ops/fma.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/segment.hpp"
#include "parity/profile/emulator.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::testing {
namespace {

using parity::profile::Subnormals;

void flush(ir::Tensor& tensor, Subnormals handling) {
  if (handling != Subnormals::flushed || !ir::is_float(tensor.dtype())) return;
  const double least = parity::core::float_format(tensor.dtype()).smallest_normal();
  ir::visit_float(tensor.dtype(), [&]<class T>(T) {
    for (T& x : tensor.as<T>())
      if (std::abs(static_cast<double>(x)) < least) x = T(0.0f);
  });
}

/// a b + c, rounded after the product, too.
ir::Tensor separate_fma(const std::vector<ir::Tensor>& in, const ir::TensorType& type) {
  ir::Tensor y(type);
  ir::visit_float(type.dtype, [&]<class T>(T) {
    const auto a = in[0].as<T>(), b = in[1].as<T>(), c = in[2].as<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T product = T(static_cast<ir::compute_t<T>>(a[i]) * static_cast<ir::compute_t<T>>(b[i]));
      volatile auto kept = static_cast<ir::compute_t<T>>(product);  // or the compiler may fuse it
      y.as<T>()[i] = T(kept + static_cast<ir::compute_t<T>>(c[i]));
    }
  });
  return y;
}

}  // namespace

class EmulatedDevice::Program final : public ir::Executable {
 public:
  Program(const EmulatedDevice& device, const ir::Graph& graph, const ir::Feeds& params)
      : device_(device), profile_(device_.profile_), graph_(graph), params_(params) {
    for (const ir::Node& node : graph.nodes()) {
      ir::NodeReport report{ir::Placement::gpu, device.kernel, "", {}};
      if (const auto* products = products_of(node))
        report.sums = {{.unit = products->unit, .accumulator = products->accumulator, .levels = device.published}};
      reports_.push_back(std::move(report));
    }
  }

  ir::Tensors run(const ir::Feeds& inputs) override {
    ir::Tensors values;
    for (ir::Value v = 0; graph_.is_source(v); ++v)
      values.emplace(v, ir::fed(graph_, v < graph_.inputs().size() ? inputs : params_, v));
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) run_node(n, values);
    return values;
  }

  std::vector<ir::NodeReport> nodes() const override { return reports_; }

 private:
  void run_node(std::size_t n, ir::Tensors& values) {
    const ir::Node& node = graph_.nodes()[n];
    std::vector<ir::Tensor> in;
    for (const ir::Value v : node.inputs) in.push_back(values.at(v));
    if (const auto product = emulated_product(n, in)) return values.insert_or_assign(node.outputs[0], *product), void();
    for (ir::Tensor& x : in) flush(x, profile_.subnormals_of(x.dtype()).in);
    std::vector<ir::Tensor> made;
    if (node.op.is<ir::ops::Fma>() && profile_.fma_of(in[0].dtype()) == parity::profile::FmaKind::separate)
      made.push_back(separate_fma(in, graph_.type(node.outputs[0])));
    else
      made = of_cpu(n, in);
    for (std::size_t k = 0; k < made.size(); ++k) {
      flush(made[k], profile_.subnormals_of(made[k].dtype()).out);
      values.insert_or_assign(node.outputs[k], std::move(made[k]));
    }
  }

  std::optional<ir::Tensor> emulated_product(std::size_t n, const std::vector<ir::Tensor>& in) {
    const ir::Node& node = graph_.nodes()[n];
    const auto* products = products_of(node);
    if (products == nullptr) return std::nullopt;
    const std::vector<ir::TensorView> views(in.begin(), in.end());
    return parity::profile::emulate(node.op, views, graph_.type(node.outputs[0]), *products,
                                    {.levels = device_.levels_});
  }

  /// The unit that computes a product; null for what the CPU computes.
  const parity::profile::Products* products_of(const ir::Node& node) const {
    if (!parity::profile::is_product(node.op)) return nullptr;
    for (const parity::profile::Products& products : profile_.products)
      if (graph_.type(node.inputs[0]).dtype == products.operands) return &products;
    return nullptr;
  }

  std::vector<ir::Tensor> of_cpu(std::size_t n, const std::vector<ir::Tensor>& in) const {
    const parity::core::Segment segment = parity::core::segment_of(graph_, n);
    ref_cpu::CpuExecutor cpu;
    const auto fed = [&](ir::Value v) {
      const auto& inputs = graph_.nodes()[n].inputs;
      return in[static_cast<std::size_t>(std::ranges::find(inputs, v) - inputs.begin())];
    };
    return parity::core::evaluate(cpu, segment, fed).outputs;
  }

  const EmulatedDevice device_;
  const parity::profile::DeviceProfile& profile_;
  const ir::Graph graph_;
  const ir::Feeds params_;
  std::vector<ir::NodeReport> reports_;
};

std::unique_ptr<ir::Executable> EmulatedDevice::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                        const ir::Capture&) {
  return std::make_unique<Program>(*this, graph, params);
}

parity::profile::Products matrix_unit(ir::DType operands, int operand_bits) {
  return {.unit = ir::SumUnit::matrix,
          .operands = operands,
          .operand_bits = operand_bits,
          .exact_products = parity::profile::Known::yes,
          .accumulator_bits = 24,
          .extra_bits = 2,
          .normalized = parity::profile::Known::no,
          .rounding = parity::profile::Rounding::truncating,
          .block = 16,
          .subnormals = parity::profile::Subnormals::kept};
}

}  // namespace plumb::testing
