// Operators that are not read, each with its reason.

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {
namespace {

void shape_of_values(NodeReader&) {
  NodeReader::unsupported("the shape of its output depends on values, and shapes are static");
}
void sequences(NodeReader&) { NodeReader::unsupported("works on sequences or optionals, and only tensors are read"); }
void strings(NodeReader&) { NodeReader::unsupported("works on strings"); }
void random_numbers(NodeReader&) { NodeReader::unsupported("draws random numbers, which no other executor repeats"); }
void training(NodeReader&) { NodeReader::unsupported("belongs to training"); }

}  // namespace

std::span<const Converter> not_covered_converters() {
  static constexpr Converter table[] = {
      {"Adagrad", training},
      {"Adam", training},
      {"Bernoulli", random_numbers},
      {"Compress", shape_of_values},
      {"ConcatFromSequence", sequences},
      {"Gradient", training},
      {"Momentum", training},
      {"Multinomial", random_numbers},
      {"NonMaxSuppression", shape_of_values},
      {"NonZero", shape_of_values},
      {"Optional", sequences},
      {"OptionalGetElement", sequences},
      {"OptionalHasElement", sequences},
      {"RandomNormal", random_numbers},
      {"RandomNormalLike", random_numbers},
      {"RandomUniform", random_numbers},
      {"RandomUniformLike", random_numbers},
      {"RegexFullMatch", strings},
      {"SequenceAt", sequences},
      {"SequenceConstruct", sequences},
      {"SequenceEmpty", sequences},
      {"SequenceErase", sequences},
      {"SequenceInsert", sequences},
      {"SequenceLength", sequences},
      {"SequenceMap", sequences},
      {"SplitToSequence", sequences},
      {"StringConcat", strings},
      {"StringNormalizer", strings},
      {"StringSplit", strings},
      {"TfIdfVectorizer", strings},
      {"Unique", shape_of_values},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
