// Registered ops on the CPU.
#include "ref_cpu/registered_op.hpp"

#include <algorithm>

#include "ir/registered_op.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::ref_cpu {

void run_registered(const ir::Op& op, Call& call) {
  const auto& one = op.as<ir::RegisteredOp>();
  const ir::OpCode& code = one.of->code;
  if (code.cpu) return ir::run_guarded(one, "cpu", code.cpu, call.inputs, call.outputs);
  ir::TensorTypes in;
  for (const ir::TensorView& x : call.inputs) in.push_back(x.type());
  const auto body = ir::body_of(one, in);
  ir::Feeds feeds;
  for (std::size_t i = 0; i < in.size(); ++i) feeds.emplace(body->inputs()[i], ir::Tensor(call.in(i)));
  const ir::Tensors made = CpuExecutor().run(*body, feeds, body->results());
  for (std::size_t k = 0; k < call.outputs.size(); ++k)
    std::ranges::copy(made.at(body->results()[k]).bytes(), call.out(k).bytes().begin());
}

}  // namespace plumb::ref_cpu
