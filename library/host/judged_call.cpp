// Runs between guard zones, and the comparison of their results.
#include "library/host/judged_call.hpp"

#include <cstring>

#include "ir/fill.hpp"
#include "library/host/call_memory.hpp"

namespace plumb::library::host {
namespace {

using Bytes = std::span<const std::byte>;

/// "element 5", "element [1, 2]".
std::string place(const ir::TensorType& type, std::size_t element) {
  if (type.shape.rank() < 2) return ir::cat("element ", element);
  std::string text;
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t axis = type.shape.size(); axis-- > 0;) {
    text = ir::cat(rest % type.shape[axis], text.empty() ? "" : ", ", text);
    rest /= type.shape[axis];
  }
  return "element [" + text + "]";
}

std::string span_text(std::string_view noun, std::size_t first, std::size_t last) {
  return first == last ? ir::cat(noun, " ", first) : ir::cat(noun, "s ", first, " to ", last);
}

/// The first element in which two tensors of a type differ, as bits.
std::optional<std::size_t> difference(const ir::TensorType& type, Bytes a, Bytes b) {
  const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
  if (at == static_cast<std::ptrdiff_t>(a.size())) return std::nullopt;
  return static_cast<std::size_t>(at) / ir::info(type.dtype).bytes;
}

/// Names the elements that still hold what was in them before two calls: "rows 96 to 99 of y", or "".
std::string unwritten(const std::string& name, const ir::TensorType& type, Bytes by_nan, Bytes by_finite) {
  const auto nan = element_of(Pattern::nan, type.dtype), finite = element_of(Pattern::finite, type.dtype);
  std::size_t count = 0, first = 0, last = 0;
  for (std::size_t at = 0; at < by_nan.size(); at += nan.size()) {
    if (!std::ranges::equal(by_nan.subspan(at, nan.size()), nan) ||
        !std::ranges::equal(by_finite.subspan(at, nan.size()), finite))
      continue;
    last = at / nan.size();
    if (count++ == 0) first = last;
  }
  if (count == 0) return "";
  if (count == by_nan.size() / nan.size()) return "all of " + name;
  if (last - first + 1 != count)
    return ir::cat(count, " elements of ", name, ", the first of them ", place(type, first));
  const auto width = static_cast<std::size_t>(type.shape.back());
  if (type.shape.rank() > 1 && first % width == 0 && (last + 1) % width == 0)
    return span_text("row", first / width, last / width) + " of " + name;
  return span_text("element", first, last) + " of " + name;
}

/// Calls the function in the same memory on other operands, on which nobody asked what it does: it may refuse them.
void call_on(const Call& call, const std::vector<NamedTensor>& others, CallMemory& memory) {
  memory.refill(others);
  try {
    memory.invoke(call);
  } catch (const ir::Error&) {
  }
  memory.refill(call.operands);
}

/// Calls the function once between guard zones, after a call on `before` where there is such. Throws Misdeed where it
/// changed what is not its own.
Judged once(const Call& call, Pattern pattern, const std::vector<NamedTensor>& before = {}) {
  const std::vector<NamedTensor>& operands = call.operands;
  CallMemory memory(call, pattern);
  if (!before.empty()) call_on(call, before, memory);

  Judged result;
  result.nanoseconds = memory.invoke(call);
  for (std::size_t i = 0; i < memory.tensors().size(); ++i) {
    const std::string breach = memory.tensors()[i].breach();
    if (!breach.empty()) throw Misdeed(breach + name_of(call, i));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ir::TensorType& type = operands[i].tensor.type();
    if (const auto element = difference(type, memory.tensors()[i].bytes(), operands[i].tensor.bytes()))
      throw Misdeed(ir::cat("changed its operand ", operands[i].name, ", ", place(type, *element)));
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    result.outputs.emplace_back(ir::TensorView(call.outputs[i], memory.tensors()[operands.size() + i].bytes()));
  return result;
}

/// Throws Misdeed, which begins with `what`, where outputs of two calls differ.
void require_equal(const Call& call, const Judged& a, const Judged& b, std::string_view what, std::string_view why) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    if (const auto element = difference(call.outputs[i], a.outputs[i].bytes(), b.outputs[i].bytes()))
      throw Misdeed(ir::cat(what, place(call.outputs[i], *element), " of ", call.output_names[i], ": it ", why));
}

void require_bools(const Call& call, const Judged& judged) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (call.outputs[i].dtype != ir::DType::boolean) continue;
    const auto bytes = judged.outputs[i].bytes();
    for (std::size_t k = 0; k < bytes.size(); ++k)
      if (bytes[k] > std::byte{1})
        throw Misdeed(ir::cat(place(call.outputs[i], k), " of ", call.output_names[i], " is a bool of value ",
                              static_cast<int>(bytes[k]), ", neither 0 nor 1"));
  }
}

}  // namespace

std::vector<NamedTensor> other_inputs(const std::vector<NamedTensor>& operands) {
  const auto has_floats = [](const NamedTensor& x) {
    return ir::is_float(x.tensor.dtype()) || ir::is_complex(x.tensor.dtype());
  };
  const bool has_none = std::ranges::none_of(operands, has_floats);
  std::vector<NamedTensor> others = operands;
  for (NamedTensor& x : others)
    if (has_none || has_floats(x)) ir::make_other(x.tensor);
  return others;
}

Judged judged(const Call& call) {
  // Its first call is on other inputs, so that what it keeps of that is not what it is judged by.
  const std::vector<NamedTensor> others = other_inputs(call.operands);
  Judged first = once(call, Pattern::nan, others);
  const Judged second = once(call, Pattern::finite);
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string where =
        unwritten(call.output_names[i], call.outputs[i], first.outputs[i].bytes(), second.outputs[i].bytes());
    if (!where.empty()) throw Misdeed("unwritten: " + where);
  }
  require_equal(call, first, second, "two runs with other memory around differ in ",
                "reads memory that it does not own, reads its outputs before it writes them, reuses old results, or "
                "races");
  const Judged third = once(call, Pattern::nan, others);
  require_equal(call, first, third, "a run after one on other inputs differs in ",
                "reuses old results, keeps a state, or races");
  require_bools(call, first);
  first.nanoseconds = std::min({first.nanoseconds, second.nanoseconds, third.nanoseconds});
  return first;
}

}  // namespace plumb::library::host
