#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/ops/constant.hpp"
#include "parity/checks/expected/judge.hpp"
#include "ref_cpu/cpu_executor.hpp"

/// Graphs of a few nodes, and results that are given for them.
namespace plumb::expected_test {

inline ref_cpu::CpuExecutor& cpu() {
  static ref_cpu::CpuExecutor executor;
  return executor;
}

using Given = std::map<std::string, ir::Tensor, std::less<>>;

/// Numbers in [-1, 1) that are all over it.
inline ir::Tensor drawn(ir::Shape shape, std::uint32_t state) {
  ir::Tensor x({ir::DType::f32, std::move(shape)});
  for (float& number : x.as<float>()) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
  }
  return x;
}

/// A graph that is built node by node, fed with numbers.
class Small {
 public:
  ir::Value input(const std::string& name, ir::Tensor x) {
    const ir::Value v = file_->graph.input(name, x.type());
    feeds_.emplace(name, std::move(x));
    return v;
  }
  ir::Value input(const std::string& name, const std::vector<float>& x) {
    return input(name, ir::Tensor::of<float>({static_cast<std::int64_t>(x.size())}, x));
  }
  template <class T>
  ir::Value scalar(const std::string& name, T x) {
    const auto bytes = std::as_bytes(std::span(&x, 1));
    return add(name, ir::ops::Constant{ir::dtype_of<T>, {}, {bytes.begin(), bytes.end()}}, {});
  }
  ir::Value add(const std::string& name, const ir::Op& op, const std::vector<ir::Value>& operands) {
    return file_->graph.add_all(name, op, operands).front();
  }
  void returns(ir::Value v) { file_->graph.returns(v); }

  const ir::Graph& graph() const { return file_->graph; }
  const ir::Feeds& feeds() const { return feeds_; }

  /// The outcome of one result that is given.
  parity::cases::ExpectedResult hold(const std::string& name, ir::Tensor given,
                                     const parity::checks::expected::Options& options = {}) const {
    Given tensors;
    tensors.emplace(name, std::move(given));
    return hold(tensors, options).at(0);
  }
  /// The outcomes of several, by their names in order.
  std::vector<parity::cases::ExpectedResult> hold(const Given& tensors,
                                                  const parity::checks::expected::Options& options = {}) const {
    parity::cases::Case subject{.name = "small"};
    subject.file = file_;
    subject.feeds = feeds_;
    subject.expectation = std::make_shared<const parity::cases::Expectation>(parity::cases::Expectation{tensors});
    return parity::checks::expected::judge(subject, cpu(), options);
  }

 private:
  std::shared_ptr<ir::formats::GraphFile> file_ = std::make_shared<ir::formats::GraphFile>();
  ir::Feeds feeds_;
};

}  // namespace plumb::expected_test
