// Operators that are not read, each with its reason.

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::string_view shape_of_values = "the shape of its output depends on values, and shapes are static";
constexpr std::string_view sequences = "works on sequences or optionals, and only tensors are read";
constexpr std::string_view strings = "works on strings";
constexpr std::string_view no_op = "no op does this yet";
constexpr std::string_view training = "belongs to training";

}  // namespace

std::span<const Converter> not_covered_converters() {
  static constexpr Converter table[] = {
      {"Adagrad", nullptr, training},
      {"Adam", nullptr, training},
      {"Compress", nullptr, shape_of_values},
      {"ConcatFromSequence", nullptr, sequences},
      {"DeformConv", nullptr, no_op},
      {"Det", nullptr, no_op},
      {"Gradient", nullptr, training},
      {"MaxRoiPool", nullptr, no_op},
      {"Momentum", nullptr, training},
      {"Multinomial", nullptr, no_op},
      {"NonMaxSuppression", nullptr, shape_of_values},
      {"NonZero", nullptr, shape_of_values},
      {"Optional", nullptr, sequences},
      {"OptionalGetElement", nullptr, sequences},
      {"OptionalHasElement", nullptr, sequences},
      {"RegexFullMatch", nullptr, strings},
      {"RoiAlign", nullptr, no_op},
      {"SequenceAt", nullptr, sequences},
      {"SequenceConstruct", nullptr, sequences},
      {"SequenceEmpty", nullptr, sequences},
      {"SequenceErase", nullptr, sequences},
      {"SequenceInsert", nullptr, sequences},
      {"SequenceLength", nullptr, sequences},
      {"SequenceMap", nullptr, sequences},
      {"SplitToSequence", nullptr, sequences},
      {"StringConcat", nullptr, strings},
      {"StringNormalizer", nullptr, strings},
      {"StringSplit", nullptr, strings},
      {"TfIdfVectorizer", nullptr, strings},
      {"Unique", nullptr, shape_of_values},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
