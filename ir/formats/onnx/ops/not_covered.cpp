// Operators that are not read, each with its reason.

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::string_view strings = "works on strings";
constexpr std::string_view no_op = "no op does this yet";
constexpr std::string_view training = "belongs to training";

}  // namespace

std::span<const Converter> not_covered_converters() {
  static constexpr Converter table[] = {
      {"Adagrad", nullptr, training},         {"Adam", nullptr, training},
      {"DeformConv", nullptr, no_op},         {"Det", nullptr, no_op},
      {"Gradient", nullptr, training},        {"MaxRoiPool", nullptr, no_op},
      {"Momentum", nullptr, training},        {"RegexFullMatch", nullptr, strings},
      {"RoiAlign", nullptr, no_op},           {"StringConcat", nullptr, strings},
      {"StringNormalizer", nullptr, strings}, {"StringSplit", nullptr, strings},
      {"TfIdfVectorizer", nullptr, strings},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
