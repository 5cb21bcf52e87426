// Callbacks of C as the code of an op.
#include "library/foreign_op.hpp"

#include <cstring>
#include <limits>

namespace plumb::library {
namespace {

plumb_tensor described(const ir::TensorType& type, const std::byte* data) {
  plumb_tensor made{};
  made.struct_size = sizeof made;
  made.dtype = static_cast<std::int32_t>(type.dtype) + PLUMB_BOOL;
  made.rank = static_cast<std::int32_t>(type.shape.rank());
  made.shape = type.shape.data();
  made.data = const_cast<std::byte*>(data);  // C has no second type for tensors that are only read
  return made;
}

/// Tensors as C sees them; they live as long as what they are of.
template <class Tensors>
std::vector<plumb_tensor> seen(const Tensors& tensors) {
  std::vector<plumb_tensor> made;
  for (const auto& one : tensors) made.push_back(described(one.type(), one.bytes().data()));
  return made;
}
std::vector<plumb_tensor> seen(ir::Types types) {
  std::vector<plumb_tensor> made;
  for (const ir::TensorType& type : types) made.push_back(described(type, nullptr));
  return made;
}

/// One call of a callback: the op's attributes, and what it says by functions of its args.
class Call {
 public:
  explicit Call(const ir::RegisteredOp& op) : op_(op), attributes_(ir::to_json(op.attributes)) {}

  /// Sets what all args have.
  template <class Args>
  void begin(Args& args, void* user, const std::vector<plumb_tensor>& inputs) {
    args.struct_size = sizeof args;
    args.input_count = static_cast<std::uint32_t>(inputs.size());
    args.user = user;
    args.attributes = attributes_.c_str();
    args.inputs = inputs.data();
    args.context = this;
    args.number = [](void* self, const char* name) { return static_cast<Call*>(self)->number(name); };
    args.fail = [](void* self, const char* text) { return static_cast<Call*>(self)->fail(text); };
  }
  /// Likewise where there are results.
  template <class Args>
  void begin(Args& args, void* user, const std::vector<plumb_tensor>& inputs,
             const std::vector<plumb_tensor>& outputs) {
    begin(args, user, inputs);
    args.output_count = static_cast<std::uint32_t>(outputs.size());
    args.outputs = outputs.data();
  }

  void require_done(int code) const {
    if (code != 0) throw ir::Error(text_.empty() ? ir::cat("returns ", code) : text_);
  }

  int give(const plumb_tensor* type) noexcept try {
    ir::require(type != nullptr && type->struct_size >= sizeof(plumb_tensor), "gives a type without its struct_size");
    ir::require(type->dtype >= PLUMB_BOOL && type->dtype <= PLUMB_U16, "gives dtype ", type->dtype);
    const bool has_shape = type->rank == 0 || type->shape != nullptr;
    ir::require(type->rank >= 0 && type->rank <= ir::max_rank && has_shape, "gives rank ", type->rank);
    given.push_back({static_cast<ir::DType>(type->dtype - PLUMB_BOOL), {type->shape, type->shape + type->rank}});
    ir::check_type(given.back());
    return 0;
  } catch (const std::exception& error) {
    return fail(error.what());
  }

  ir::TensorTypes given = {};  ///< by infer

 private:
  int fail(const char* text) noexcept {
    text_ = text != nullptr ? text : "fails";
    return 1;
  }
  double number(const char* name) const {
    const auto found = op_.attributes.find(name != nullptr ? name : "");
    if (found == op_.attributes.end()) return std::numeric_limits<double>::quiet_NaN();
    return std::visit(
        []<class T>(const T& value) {
          if constexpr (std::is_arithmetic_v<T>)
            return static_cast<double>(value);
          else
            return std::numeric_limits<double>::quiet_NaN();
        },
        found->second);
  }

  const ir::RegisteredOp& op_;
  const std::string attributes_;
  std::string text_;
};

ir::TensorTypes infer(const plumb_op_v1& op, const ir::RegisteredOp& one, ir::Types in) {
  const std::vector<plumb_tensor> inputs = seen(in);
  Call call(one);
  plumb_op_infer_args args{};
  call.begin(args, op.user, inputs);
  args.give = [](void* self, const plumb_tensor* type) { return static_cast<Call*>(self)->give(type); };
  call.require_done(op.infer(&args));
  return call.given;
}

void compute(const plumb_op_v1& op, const ir::RegisteredOp& one, std::span<const ir::TensorView> in,
             std::span<const ir::MutableView> out) {
  const std::vector<plumb_tensor> inputs = seen(in), outputs = seen(out);
  Call call(one);
  plumb_op_cpu_args args{};
  call.begin(args, op.user, inputs, outputs);
  call.require_done(op.cpu(&args));
}

void state_bounds(const plumb_op_v1& op, const ir::RegisteredOp& one, double unit, std::span<const ir::TensorView> in,
                  std::span<const ir::MutableView> stated) {
  const std::size_t operands = one.of->operands.size();
  const std::vector<plumb_tensor> inputs = seen(in.first(operands)), outputs = seen(in.subspan(operands)),
                                  bounds = seen(stated);
  Call call(one);
  plumb_op_bounds_args args{};
  call.begin(args, op.user, inputs, outputs);
  args.bounds = bounds.data();
  args.unit = unit;
  call.require_done(op.bounds(&args));
}

ir::GpuKernel kernel_of(const plumb_op_v1& op, const ir::RegisteredOp& one, ir::Types in, ir::Types out) {
  const std::vector<plumb_tensor> inputs = seen(in), outputs = seen(out);
  Call call(one);
  plumb_op_gpu_args args{};
  call.begin(args, op.user, inputs, outputs);
  call.require_done(op.gpu(&args));
  if (args.glsl == nullptr && args.spirv == nullptr) throw ir::Unsupported("has no shader for these types");
  ir::require(args.push_count <= std::size(args.push), "gives ", args.push_count, " words of push constants");
  ir::GpuKernel made;
  if (args.glsl != nullptr)
    made.glsl = args.glsl;
  else
    made.spirv.assign(args.spirv, args.spirv + args.spirv_count);
  std::ranges::copy(args.groups, made.groups.begin());
  made.push.assign(args.push, args.push + args.push_count);
  return made;
}

/// The fields that the caller knows; others are 0.
plumb_op_v1 fields_of(const plumb_op_v1* op) {
  constexpr std::uint32_t largest = 4096;
  ir::require(op != nullptr, "op: is NULL");
  ir::require(op->struct_size >= sizeof(std::uint32_t) && op->struct_size <= largest, "op: struct_size is ",
              op->struct_size, ", and is to be sizeof of the struct");
  plumb_op_v1 known{};
  std::memcpy(static_cast<void*>(&known), op, std::min<std::size_t>(op->struct_size, sizeof known));
  ir::require(known.flags == 0, "op.flags: is ", known.flags, ", and no flag is known");
  ir::require(known.name != nullptr, "op.name: is NULL");
  ir::require(known.schema != nullptr, "op.schema: is NULL");
  return known;
}

}  // namespace

ir::NewOp new_op_of(const plumb_op_v1* given) {
  const plumb_op_v1 op = fields_of(given);
  ir::NewOp made{.name = op.name, .schema = op.schema, .body = op.body != nullptr ? op.body : "", .code = {}};
  using One = const ir::RegisteredOp&;
  using In = std::span<const ir::TensorView>;
  using Out = std::span<const ir::MutableView>;
  if (op.infer != nullptr) made.code.infer = [op](One one, ir::Types in) { return infer(op, one, in); };
  if (op.cpu != nullptr) made.code.cpu = [op](One one, In in, Out out) { compute(op, one, in, out); };
  if (op.bounds != nullptr)
    made.code.bounds = [op](One one, double unit, In in, Out out) { state_bounds(op, one, unit, in, out); };
  if (op.gpu != nullptr)
    made.code.gpu = [op](One one, ir::Types in, ir::Types out) { return kernel_of(op, one, in, out); };
  return made;
}

}  // namespace plumb::library
