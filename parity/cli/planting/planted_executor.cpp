// Does to a run what --plant says: alters values, takes the device away, hangs, crashes.
#include "parity/cli/planting/planted_executor.hpp"

#include <chrono>
#include <csignal>
#include <limits>
#include <thread>

#include "ir/error.hpp"

namespace plumb::parity::cli {
namespace {

void put_nan(ir::Tensor& tensor) {
  if (!ir::is_float(tensor.dtype()) || tensor.bytes().empty()) return;
  power::faults::Numbers numbers = power::faults::numbers_of(tensor);
  numbers[0] = std::numeric_limits<double>::quiet_NaN();
  tensor = power::faults::tensor_of(tensor.type(), numbers);
}

void flip_last_bit(ir::Tensor& tensor) {
  if (!tensor.bytes().empty()) tensor.bytes()[0] ^= std::byte{1};
}

}  // namespace

class PlantedExecutor::Program final : public ir::Executable {
 public:
  Program(PlantedExecutor& planted, const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture)
      : planted_(planted), graph_(graph) {
    ir::Executor* last = &planted.inner_;
    for (const Plant& plant : planted.plants_)
      for (const ir::Node& node : graph.nodes())
        if (plant.kind == Plant::Kind::result && plant.is_at(node))
          last = &faulty_.emplace_back(*last, planted.reference_, *plant.fault, node.label,
                                       power::faults::Amount{.share = plant.number, .may_be_absent = true});
    inner_ = last->compile(graph, params, capture);
  }

  ir::Tensors run(const ir::Feeds& inputs) override {
    each([&](const Plant& plant, const ir::Node& node) { befall(plant, node); });
    ir::Tensors values = inner_->run(inputs);
    each([&](const Plant& plant, const ir::Node& node) {
      const auto found = values.find(node.outputs.front());
      if (found != values.end()) alter(plant, found->second);
    });
    return values;
  }

  std::vector<ir::NodeReport> nodes() const override { return inner_->nodes(); }

 private:
  template <class Do>
  void each(const Do& act) {
    for (const Plant& plant : planted_.plants_)
      for (const ir::Node& node : graph_.nodes())
        if (plant.is_at(node)) act(plant, node);
  }

  void befall(const Plant& plant, const ir::Node& node) const {
    if (plant.kind == Plant::Kind::hang) std::this_thread::sleep_for(std::chrono::duration<double>(plant.number));
    if (plant.kind == Plant::Kind::lost && planted_.attempt_ <= plant.number)
      throw ir::DeviceError(
          ir::cat("node '", node.label, "': the device was lost, as --plant ", plant.text, " has it"));
    if (plant.kind == Plant::Kind::crash) {
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
    }
  }

  void alter(const Plant& plant, ir::Tensor& tensor) const {
    if (plant.kind == Plant::Kind::nan) put_nan(tensor);
    if (plant.kind == Plant::Kind::flicker && std::bernoulli_distribution(plant.number)(planted_.random_))
      flip_last_bit(tensor);
  }

  PlantedExecutor& planted_;
  const ir::Graph graph_;
  std::deque<power::faults::FaultyExecutor> faulty_;
  std::unique_ptr<ir::Executable> inner_;
};

std::unique_ptr<ir::Executable> PlantedExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                         const ir::Capture& capture) {
  return std::make_unique<Program>(*this, graph, params, capture);
}

}  // namespace plumb::parity::cli
