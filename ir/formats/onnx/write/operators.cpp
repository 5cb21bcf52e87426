// Opsets and dtypes of ONNX's operators, from its Changelog.md of ONNX 1.21. Dtypes are those of what an op is named
// by, its first operand as a rule; versions that only add dtypes that plumb does not have are left out.
#include "ir/formats/onnx/write/operators.hpp"

#include <algorithm>
#include <array>

namespace plumb::ir::to_onnx {
namespace {

struct Operator {
  std::string_view name;
  std::int64_t since;
  DTypes dtypes;
};

constexpr DTypes F = DType::f16 | DType::f32 | DType::f64;
constexpr DTypes R = dtypes::R, I = dtypes::I, N = dtypes::N, any = dtypes::any, boolean = dtypes::B;
constexpr DTypes whole = DType::i32 | DType::u32 | DType::i64;                 ///< operands of products and sums
constexpr DTypes negative = DType::i8 | DType::i16 | DType::i32 | DType::i64;  ///< integers that may be below 0
constexpr DTypes bytes = DType::u8 | DType::i8;
constexpr DTypes shifted = DType::u8 | DType::u16 | DType::u32;
constexpr DTypes scored = DType::f16 | DType::bf16 | DType::f32;
constexpr DTypes no_bf16 = F | I | dtypes::Z | boolean;

constexpr Operator operators[] = {
    {"Abs", 13, N},
    {"Acos", 7, F},
    {"Acos", 22, R},
    {"Acosh", 9, F},
    {"Acosh", 22, R},
    {"Add", 14, N},
    {"AffineGrid", 20, R},
    {"And", 7, boolean},
    {"ArgMax", 13, N},
    {"ArgMin", 13, N},
    {"Asin", 7, F},
    {"Asin", 22, R},
    {"Asinh", 9, F},
    {"Asinh", 22, R},
    {"Atan", 7, F},
    {"Atan", 22, R},
    {"Atanh", 9, F},
    {"Atanh", 22, R},
    {"Attention", 23, R},
    {"AveragePool", 19, F},
    {"AveragePool", 22, R},
    {"BatchNormalization", 15, R},
    {"BitCast", 26, any},
    {"BitShift", 11, shifted},
    {"BitwiseAnd", 18, I},
    {"BitwiseNot", 18, I},
    {"BitwiseOr", 18, I},
    {"BitwiseXor", 18, I},
    {"Cast", 13, N | boolean},
    {"Ceil", 13, R},
    {"Celu", 12, DType::f32},
    {"Celu", 28, R},
    {"Clip", 13, N},
    {"Col2Im", 18, any},
    {"Concat", 13, any},
    {"Constant", 13, any},
    {"Conv", 11, F},
    {"Conv", 22, R},
    {"ConvInteger", 10, bytes},
    {"ConvTranspose", 11, F},
    {"ConvTranspose", 22, R},
    {"Cos", 7, F},
    {"Cos", 22, R},
    {"Cosh", 9, F},
    {"Cosh", 22, R},
    {"CumProd", 26, R | whole},
    {"CumSum", 14, R | whole},
    {"DepthToSpace", 13, any},
    {"DequantizeLinear", 13, bytes | DType::i32},
    {"DequantizeLinear", 21, bytes | DType::u16 | DType::i16 | DType::i32},
    {"Div", 14, N},
    {"DynamicQuantizeLinear", 11, DType::f32},
    {"Einsum", 12, F | I},
    {"Elu", 6, F},
    {"Elu", 22, R},
    {"Equal", 13, N | boolean},
    {"Erf", 13, R},
    {"Exp", 13, R},
    {"Expand", 13, any},
    {"Floor", 13, R},
    {"GRU", 14, F},
    {"GRU", 22, R},
    {"Gather", 13, any},
    {"GatherElements", 13, any},
    {"GatherND", 13, any},
    {"Gelu", 20, R},
    {"Gemm", 13, R | whole},
    {"Greater", 13, N},
    {"GreaterOrEqual", 16, N},
    {"GridSample", 20, F},
    {"GridSample", 22, R},
    {"GroupNormalization", 21, R},
    {"HardSigmoid", 6, F},
    {"HardSigmoid", 22, R},
    {"HardSwish", 14, F},
    {"HardSwish", 22, R},
    {"Hardmax", 13, R},
    {"Identity", 13, any},
    {"InstanceNormalization", 6, F},
    {"InstanceNormalization", 22, R},
    {"IsInf", 10, DType::f32 | DType::f64},
    {"IsInf", 20, R},
    {"IsNaN", 13, R},
    {"LRN", 13, R},
    {"LSTM", 14, F},
    {"LSTM", 22, R},
    {"LayerNormalization", 17, R},
    {"LeakyRelu", 16, R},
    {"Less", 13, N},
    {"LessOrEqual", 16, N},
    {"Log", 13, R},
    {"LogSoftmax", 13, R},
    {"LpNormalization", 22, R},
    {"LpPool", 18, F},
    {"LpPool", 22, R},
    {"MatMul", 13, R | whole},
    {"MatMulInteger", 10, bytes},
    {"Max", 13, N},
    {"MaxPool", 12, F | bytes},
    {"MaxPool", 22, R | bytes},
    {"MaxUnpool", 11, F},
    {"MaxUnpool", 22, R},
    {"Min", 13, N},
    {"Mish", 18, F},
    {"Mish", 22, R},
    {"Mod", 13, N},
    {"Mul", 14, N},
    {"Neg", 13, R | negative},
    {"Not", 1, boolean},
    {"OneHot", 11, no_bf16},
    {"Or", 7, boolean},
    {"PRelu", 16, R | whole},
    {"Pad", 13, any},
    {"QuantizeLinear", 13, DType::f32},
    {"QuantizeLinear", 23, scored},
    {"Pow", 15, R},
    {"QLinearConv", 10, bytes},
    {"QLinearMatMul", 10, bytes},
    {"RMSNormalization", 23, R},
    {"RNN", 14, F},
    {"RNN", 22, R},
    {"Reciprocal", 13, R},
    {"ReduceL1", 18, R | whole},
    {"ReduceL2", 18, R | whole},
    {"ReduceLogSum", 18, R | whole},
    {"ReduceLogSumExp", 18, R | whole},
    {"ReduceMax", 18, R | whole | bytes},
    {"ReduceMax", 20, R | whole | bytes | boolean},
    {"ReduceMean", 18, R | whole},
    {"ReduceMin", 18, R | whole | bytes},
    {"ReduceMin", 20, R | whole | bytes | boolean},
    {"ReduceProd", 18, R | whole},
    {"ReduceSum", 13, R | whole},
    {"ReduceSumSquare", 18, R | whole},
    {"Relu", 14, R | negative},
    {"Reshape", 14, any},
    {"Resize", 19, any},
    {"ReverseSequence", 10, no_bf16},
    {"RotaryEmbedding", 23, scored},
    {"Round", 11, F},
    {"Round", 22, R},
    {"ScatterElements", 18, any},
    {"ScatterND", 18, any},
    {"Selu", 6, F},
    {"Selu", 22, R},
    {"Shrink", 9, F},
    {"Sigmoid", 13, R},
    {"Sign", 13, N},
    {"Sin", 7, F},
    {"Sin", 22, R},
    {"Sinh", 9, F},
    {"Sinh", 22, R},
    {"Slice", 13, any},
    {"Softmax", 13, R},
    {"Softplus", 1, F},
    {"Softplus", 22, R},
    {"Softsign", 1, F},
    {"Softsign", 22, R},
    {"SpaceToDepth", 13, any},
    {"Split", 18, any},
    {"Sqrt", 13, R},
    {"Sub", 14, N},
    {"Swish", 24, R},
    {"Tan", 7, F},
    {"Tan", 22, R},
    {"Tanh", 13, R},
    {"TensorScatter", 24, any},
    {"ThresholdedRelu", 10, F},
    {"ThresholdedRelu", 22, R},
    {"Tile", 13, any},
    {"TopK", 11, F | I},
    {"TopK", 24, N},
    {"Transpose", 13, any},
    {"Trilu", 14, any},
    {"Where", 16, any},
    {"Xor", 7, boolean},
};

}  // namespace

std::int64_t first_opset(std::string_view name, DType dtype) {
  const auto takes = [&](const Operator& one) { return one.name == name && one.dtypes.contains(dtype); };
  const auto* const found = std::ranges::find_if(operators, takes);
  if (found == std::end(operators)) throw NoOperator(cat("ONNX's ", name, " takes no ", dtype));
  return std::max(found->since, oldest_opset);
}

int onnx_type(DType dtype) {
  // In the order of DType: bool, u8, i8, i16, i32, u32, i64, f16, bf16, f32, f64, c64, c128, u16.
  constexpr std::array<int, dtype_count> numbers = {9, 2, 3, 5, 6, 12, 7, 10, 16, 1, 11, 14, 15, 4};
  return numbers[static_cast<std::size_t>(dtype)];
}

}  // namespace plumb::ir::to_onnx
