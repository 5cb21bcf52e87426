#pragma once

#include <filesystem>

#include "ir/registered_op.hpp"

namespace plumb::ir {

/// An op from outside, for graphs that are read after it is registered.
///
/// `schema` is a JSON object: "summary", "formula", "inputs" [{"name", "dtypes", "shape", "like"}], "outputs" [{"name",
/// "type"}], "attributes" [{"name", "kind", "default", "choices", "doc"}] and "error_class"; all but inputs and outputs
/// may be left out. An output of type "as x" has the type of input x. Kinds are bool, int, real, string, ints, reals,
/// enum and dtype; an attribute without a default must be given.
///
/// `body` is the op as text of plumb.graph/1, whose inputs are the op's, by order, and whose results are its outputs.
/// It is read again for each node: inputs get the types of the node's operands, the text "$beta" stands for the value
/// of attribute beta, "$x.dtype" and "$x.shape" for those of operand x.
struct NewOp {
  std::string name;  ///< has a dot: "acme.swish2"
  std::string schema;
  std::string body = {};
  OpCode code = {};  ///< without its body, which is made of the text
};

/// The op that its texts declare. Throws Error, naming it, for a schema that has anything else, or contradicts the
/// body.
DeclaredOp declared(const NewOp& op);

/// Registers an op for the life of the process. Throws Error, naming it, as declared() does, for a name without a dot
/// or that is taken, and where neither body nor `cpu` defines the op, or nothing says how far an element may be off.
void register_op(const NewOp& op);

/// Attributes as one JSON object, as graph files have them.
std::string to_json(const Attributes& attributes);

/// Registers the ops of a file: {"format": "plumb.ops/1", "ops": [{"name": .., "schema": {..}, "body": {..}}]}.
void register_ops_of(const std::filesystem::path& path);

}  // namespace plumb::ir
