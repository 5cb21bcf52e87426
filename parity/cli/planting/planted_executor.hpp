#pragma once

#include <deque>
#include <random>
#include <vector>

#include "parity/cli/planting/plants.hpp"
#include "parity/power/faults/faulty_executor.hpp"

namespace plumb::parity::cli {

/// An executor that computes as another does but for what is planted in it. Values are altered when all is computed:
/// nothing downstream is computed again. A fault of a value that a run does not give is not planted in that run.
class PlantedExecutor final : public ir::Executor {
 public:
  /// Both executors must outlive it.
  PlantedExecutor(ir::Executor& inner, ir::Executor& reference, std::vector<Plant> plants)
      : inner_(inner), reference_(reference), plants_(std::move(plants)) {}

  /// Which attempt at a run the next runs are, from 1.
  void set_attempt(unsigned attempt) { attempt_ = attempt; }

  std::string_view name() const override { return inner_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return inner_.has_kernel(schema); }
  std::string refusal(const ir::Graph& graph, const ir::Node& node) const override {
    return inner_.refusal(graph, node);
  }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  class Program;

  ir::Executor& inner_;
  ir::Executor& reference_;
  const std::vector<Plant> plants_;
  unsigned attempt_ = 1;
  std::mt19937_64 random_{0x706C756D62};  ///< one start of the program is like the next
};

}  // namespace plumb::parity::cli
