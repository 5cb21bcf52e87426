// The structures of TVM-FFI's C interface, and calls with them.
#include "library/host/tvm_function.hpp"

#include "ir/formats/dlpack.hpp"
#include "library/host/arguments.hpp"
#include "library/host/exchange.hpp"
#include "library/host/judged_call.hpp"
#include "library/host/library_file.hpp"

namespace plumb::library::host {
namespace {

using ir::formats::DLTensor;

/// An argument, as far as a call on tensors needs it.
struct Any {
  std::int32_t type_index = 0;
  std::uint32_t padding = 0;
  union {
    std::int64_t whole;
    double real;
    const void* pointer;
  } value = {.whole = 0};
};
static_assert(sizeof(Any) == 16);

enum TypeIndex : std::int32_t { tvm_int = 1, tvm_bool = 2, tvm_float = 3, tvm_tensor = 7, tvm_text = 8 };

using Function = int (*)(void* handle, const Any* args, std::int32_t count, Any* result);

/// A tensor's type and strides, with an address that is filled in for each call.
struct Described {
  ir::TensorType type;
  std::vector<std::int64_t> strides;

  explicit Described(const ir::TensorType& of) : type(of), strides(of.shape.strides()) {}

  DLTensor at(void* data, const CudaDevice* device) const {
    const ir::formats::DLDevice host{ir::formats::dl_cpu, 0};
    return {data,
            device != nullptr ? ir::formats::DLDevice{ir::formats::dl_cuda, device->number()} : host,
            static_cast<std::int32_t>(type.shape.rank()),
            ir::formats::dl_type_of(type.dtype),
            type.shape.data(),
            strides.data(),
            0};
  }
};

Any any_of(const Argument& argument, const std::vector<DLTensor>& tensors) {
  Any any;
  if (const auto* const tensor = std::get_if<TensorArgument>(&argument)) {
    any.type_index = tvm_tensor;
    any.value.pointer = &tensors[tensor->number];
  } else if (const auto* const truth = std::get_if<bool>(&argument)) {
    any.type_index = tvm_bool;
    any.value.whole = *truth ? 1 : 0;
  } else if (const auto* const whole = std::get_if<std::int64_t>(&argument)) {
    any.type_index = tvm_int;
    any.value.whole = *whole;
  } else if (const auto* const real = std::get_if<double>(&argument)) {
    any.type_index = tvm_float;
    any.value.real = *real;
  } else {
    any.type_index = tvm_text;
    any.value.pointer = std::get<std::string>(argument).c_str();
  }
  return any;
}

Invoke invoke_of(Function function, const std::string& symbol, const Signature& signature,
                 std::vector<Argument> arguments, const CudaDevice* device) {
  std::vector<Described> described;
  for (const ir::TensorType& type : signature.operands) described.emplace_back(type);
  for (const ir::TensorType& type : signature.results) described.emplace_back(type);
  return [=](std::span<void* const> addresses) {
    std::vector<DLTensor> tensors;
    for (std::size_t i = 0; i < addresses.size(); ++i) tensors.push_back(described[i].at(addresses[i], device));
    std::vector<Any> args;
    for (const Argument& argument : arguments) args.push_back(any_of(argument, tensors));
    Any result;
    const int code = function(nullptr, args.data(), static_cast<std::int32_t>(args.size()), &result);
    ir::require(code == 0, symbol, " returned ", code);
  };
}

JobAnswer run(Function function, const TvmFunction& which, const Job& job) {
  const std::optional<CudaDevice> opened =
      which.cuda_device ? std::optional<CudaDevice>(std::in_place, *which.cuda_device) : std::nullopt;
  const CudaDevice* const device = opened ? &*opened : nullptr;
  const Signature signature(job.graph);
  const std::vector<Argument> arguments = arguments_of(which.args, signature);
  std::vector<Call> calls;
  std::vector<AtEdges> edges;
  for (const auto& inputs : job.runs) {
    Call& call = calls.emplace_back();
    call.invoke = invoke_of(function, which.symbol, signature, arguments, device);
    for (const std::string& name : signature.operand_names) {
      const auto found = std::ranges::find(inputs, name, &NamedTensor::name);
      ir::require(found != inputs.end(), "the request has no input '", name, "'");
      const ir::TensorType& wanted = signature.operands[call.operands.size()];
      ir::require(found->tensor.type() == wanted, "input '", name, "' is ", found->tensor.type(), ", the graph has ",
                  wanted);
      call.operands.push_back(*found);
    }
    call.output_names = signature.result_names;
    call.outputs = signature.results;
    call.align = which.align;
    call.device = device;
  }
  for (const Call& call : calls) edges.push_back(device == nullptr ? at_edges(call) : AtEdges{});
  JobAnswer answer;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Judged done = judged(calls[i]);
    if (device != nullptr) edges[i] = at_device_edges(calls[i]);
    if (!edges[i].misdeed.empty()) throw Misdeed(edges[i].misdeed);
    ir::require(edges[i].error.empty(), edges[i].error);
    RunAnswer& run = answer.runs.emplace_back();
    for (std::size_t k = 0; k < done.outputs.size(); ++k) {
      ir::formats::JsonObject node;
      node.emplace_back("value", signature.result_names[k]);
      node.emplace_back("kernel", which.symbol);
      node.emplace_back("ns", static_cast<std::int64_t>(k == 0 ? done.nanoseconds : 0));
      run.nodes.emplace_back(std::move(node));
      run.values.push_back({signature.result_names[k], std::move(done.outputs[k])});
    }
  }
  return answer;
}

}  // namespace

bool host_tvm_function(const Request& request, const TvmFunction& which) {
  const LibraryFile library(which.library);
  void* found = library.find("__tvm_ffi_" + which.symbol);
  if (found == nullptr) found = library.find(which.symbol);
  ir::require(found != nullptr, "'", which.library, "' has neither __tvm_ffi_", which.symbol, " nor ", which.symbol);
  const auto function = reinterpret_cast<Function>(found);
  ir::formats::JsonObject candidate;
  candidate.emplace_back("name", which.symbol);
  candidate.emplace_back("version", "");
  candidate.emplace_back("device", which.cuda_device ? ir::cat("cuda:", *which.cuda_device) : "cpu");
  // Opening a CUDA device takes longer than a call; edges of host memory take copies of a process that did nothing yet.
  candidate.emplace_back("serves", which.cuda_device.has_value());
  candidate.emplace_back("models", ir::formats::JsonArray{});
  std::get<ir::formats::Json::Held<ir::formats::JsonArray>>(candidate.back().second.value)
      ->emplace_back("plumb.graph/1");
  return request.answer(std::move(candidate), [&](const Job& job) {
    return request.action() == "supports" ? JobAnswer{} : run(function, which, job);
  });
}

}  // namespace plumb::library::host
