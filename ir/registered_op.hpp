#pragma once

#include <array>
#include <functional>
#include <mutex>

#include "ir/graph.hpp"

/// Ops that a program registers while it runs, beside those of ir/ops: how graphs hold them. ir/register_op.hpp takes
/// them.
namespace plumb::ir {

struct DeclaredOp;

/// A node's op where a program registered it: which it is, and its attributes, defaults among them.
struct RegisteredOp {
  const DeclaredOp* of = nullptr;
  Attributes attributes = {};

  // Ops are told apart by the schema of their declaration; these are only what the struct of any op has.
  static constexpr auto name = "registered";
  static constexpr auto summary = "";
  static constexpr auto formula = "";
  static constexpr int tier = 0;
  static constexpr std::array<Input, 0> inputs = {};
  static constexpr std::array<Output, 0> outputs = {};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const;
  ErrorClass error_class() const;
  bool operator==(const RegisteredOp&) const = default;
};

/// How a Vulkan device computes a node by one dispatch of a shader whose storage buffers are the operands, binding 0
/// first, and then the results.
struct GpuKernel {
  std::string glsl = {};                  ///< a compute shader; it may include files of gpu_vulkan/glsl
  std::vector<std::uint32_t> spirv = {};  ///< the shader where there is no GLSL
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::uint32_t> push = {};  ///< words of push constants
};

/// Reads the first tensors and writes every element of the others. Throws Error where it cannot.
using HostCode = std::function<void(const RegisteredOp&, std::span<const TensorView>, std::span<const MutableView>)>;

/// The meaning of an op. It has a body, or else `cpu` is its definition.
struct OpCode {
  std::function<std::shared_ptr<const Graph>(const RegisteredOp&, Types)> body = {};  ///< in terms of other ops
  std::function<TensorTypes(const RegisteredOp&, Types)> infer = {};  ///< types of results, where no body has them
  HostCode cpu = {};  ///< in the dtypes of the operands, and in f64 and c128
  /// From operands and results in f64, for each result a tensor of f64: how far elements may be off where an operation
  /// is off by at most `unit` of its result.
  std::function<void(const RegisteredOp&, double unit, std::span<const TensorView>, std::span<const MutableView>)>
      bounds = {};
  std::function<GpuKernel(const RegisteredOp&, Types in, Types out)> gpu = {};
};

/// An op as it was declared. It lives as long as the process.
struct DeclaredOp {
  struct Operand {
    std::string name;
    DTypes dtypes = dtypes::any;
    std::string shape = "[..]", like = {};
  };
  struct Result {
    std::string name, like = {};  ///< the operand whose type it has, if it says so
  };
  struct Field {
    std::string name, kind, doc = {};
    Presence presence = Presence::optional;
    std::vector<std::string> choices = {};
    Attribute usual = {};
  };

  std::string name, summary, formula;
  std::vector<Operand> operands = {};
  std::vector<Result> results = {};
  std::vector<Field> fields = {};
  ErrorClass error_class = ErrorClass::comp;  ///< where there is no body, which has that of its nodes
  OpCode code = {};
  TensorTypes example = {};                                               ///< operands that a body is written for
  const OpSchema* schema = nullptr;                                       ///< once it is registered
  std::shared_ptr<std::mutex> one_call = std::make_shared<std::mutex>();  ///< its code runs once at a time
};

/// Takes an op for the life of the process. Throws Error where its name has no dot or is taken, or where parts of its
/// declaration contradict each other.
const DeclaredOp& add_registered_op(DeclaredOp op);

/// The registered ops, in the order in which they came.
std::vector<const DeclaredOp*> registered_ops();

/// The schemas of all ops: those of ir/ops, and behind them the registered ones.
std::vector<const OpSchema*> known_schemas();

/// The op of a schema, or of a node, where it was registered; else null.
const DeclaredOp* registered(const OpSchema& schema);
const DeclaredOp* registered(const Op& op);

/// A registered op in terms of others, on operands of these types: inputs in the order of the operands, results in that
/// of the op's. Throws Error where its results have other types than were declared.
std::shared_ptr<const Graph> body_of(const RegisteredOp& op, Types in);

/// Memory in which code of an op's author runs, on copies of the tensors with guard zones around them. Calls after the
/// first find it there.
class GuardedCall {
 public:
  /// `what` is "cpu" or "bounds". Every call has tensors of these types.
  GuardedCall(const RegisteredOp& op, std::string_view what, std::span<const TensorView> in,
              std::span<const MutableView> out);
  ~GuardedCall();
  GuardedCall(const GuardedCall&) = delete;
  GuardedCall& operator=(const GuardedCall&) = delete;

  /// One call of an op at a time. Throws Error, naming the op, where the code writes outside of its results, changes an
  /// operand, or fails.
  void run(const HostCode& code, std::span<const TensorView> in, std::span<const MutableView> out);

 private:
  class Guarded;
  const RegisteredOp op_;
  const std::string where_;
  std::vector<Guarded> given_, made_;
  std::vector<TensorView> operands_;
  std::vector<MutableView> results_;
};

/// One such call.
void run_guarded(const RegisteredOp& op, std::string_view what, const HostCode& code, std::span<const TensorView> in,
                 std::span<const MutableView> out);

template <>
inline Op::Op(RegisteredOp op) : schema_(op.of->schema), value_(std::make_shared<const RegisteredOp>(std::move(op))) {}

template <>
inline bool Op::is<RegisteredOp>() const {
  return registered(*schema_) != nullptr;
}

template <>
inline const RegisteredOp& Op::as<RegisteredOp>() const {
  require(is<RegisteredOp>(), "op is ", name(), ", which is no registered one");
  return *static_cast<const RegisteredOp*>(value_.get());
}

}  // namespace plumb::ir
