#pragma once

#include <string>
#include <vector>

#include "parity/core/handed_on.hpp"

namespace plumb::parity::verify {

/// An executor that keeps the last executables of another one, two at most, and hands them out again as long as graph,
/// params and capture are the same: for many runs of one graph on other inputs, watched and plain. What it compiles
/// holds the executable, which must not outlive the other executor. With params that are held it compiles anew.
class CompileOnce final : public core::HandedOn {
 public:
  using HandedOn::HandedOn;
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<ir::Executable> executable;
  };
  std::vector<Kept> kept_;  ///< the one that was used last is the last
};

}  // namespace plumb::parity::verify
