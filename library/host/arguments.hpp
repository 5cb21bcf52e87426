// The arguments of a function: what --args says of their order.
#pragma once

#include <string>
#include <variant>

#include "ir/graph.hpp"

namespace plumb::library::host {

/// A tensor by its number among operands and then outputs.
struct TensorArgument {
  std::size_t number = 0;
};

using Argument = std::variant<TensorArgument, bool, std::int64_t, double, std::string>;

/// Operands that a function takes, results that it fills, and attributes: those of a graph of one node. For a graph of
/// several nodes these are its inputs and then its params, its results, and no attributes.
struct Signature {
  explicit Signature(const ir::Graph& graph);

  std::vector<std::string> operand_names, result_names;
  std::vector<ir::TensorType> operands, results;
  ir::Attributes attributes;
};

/// The arguments that "x0,x1,alpha,x0.shape[1],0.5,true,y0" names: operands x, outputs y, attributes, extents, and
/// numbers and bools as they are; operands and then outputs where it is empty. Throws Error where it names what is not
/// there, or lacks an output.
std::vector<Argument> arguments_of(const std::string& order, const Signature& signature);

}  // namespace plumb::library::host
