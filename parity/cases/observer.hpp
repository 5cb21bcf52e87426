#pragma once

#include <string_view>
#include <vector>

#include "ir/tensor.hpp"
#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {

/// Told what happens while a case runs.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A case was filled and is about to run.
  virtual void begins(const Case& subject);

  /// `done` of `steps` are finished, and `what` is next.
  virtual void step(std::string_view what, std::size_t done, std::size_t steps);

  /// A node was compared: the truth of its inputs, and what came.
  virtual void compared(const NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
};

/// Tells several observers.
class Observers final : public Observer {
 public:
  explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}

  void begins(const Case& subject) override;
  void step(std::string_view what, std::size_t done, std::size_t steps) override;
  void compared(const NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) override;

 private:
  std::vector<Observer*> all_;
};

}  // namespace plumb::parity::cases
