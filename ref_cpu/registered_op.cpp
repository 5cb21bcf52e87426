// Registered ops on the CPU.
#include "ref_cpu/registered_op.hpp"

#include <algorithm>

#include "ir/registered_op.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::ref_cpu {
namespace {

/// The body of an op, compiled once for all runs.
class CompiledBody {
 public:
  CompiledBody(const ir::RegisteredOp& op, const Call& call) {
    ir::TensorTypes in;
    for (const ir::TensorView& x : call.inputs) in.push_back(x.type());
    const auto body = ir::body_of(op, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      operands_.push_back(&feeds_.emplace(body->inputs()[i], ir::Tensor(in[i])).first->second);
    executable_ = CpuExecutor().compile(*body, feeds_, {body->results()});
    for (const ir::Value v : body->results())
      results_.push_back(&made_.emplace(v, ir::Tensor(body->type(v))).first->second);
  }

  void run(const Call& call) {
    for (std::size_t i = 0; i < operands_.size(); ++i)
      std::ranges::copy(call.in(i).bytes(), operands_[i]->bytes().begin());
    executable_->run_into(feeds_, made_);
    for (std::size_t k = 0; k < results_.size(); ++k)
      std::ranges::copy(std::as_const(*results_[k]).bytes(), call.out(k).bytes().begin());
  }

 private:
  ir::Feeds feeds_;
  ir::Tensors made_;
  std::vector<ir::Tensor*> operands_, results_;  ///< in these, in the order of the op's
  std::unique_ptr<ir::Executable> executable_;
};

}  // namespace

void run_registered(const ir::Op& op, Call& call) {
  const auto& one = op.as<ir::RegisteredOp>();
  const ir::OpCode& code = one.of->code;
  if (code.cpu)
    return call.kept([&] { return std::make_unique<ir::GuardedCall>(one, "cpu", call.inputs, call.outputs); })
        ->run(code.cpu, call.inputs, call.outputs);
  call.kept([&] { return std::make_unique<CompiledBody>(one, call); })->run(call);
}

}  // namespace plumb::ref_cpu
