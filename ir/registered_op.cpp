// The registry of ops that a program defines: a schema for each, made of what was declared.
#include "ir/registered_op.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "ir/cost.hpp"
#include "ir/loops.hpp"

namespace plumb::ir {
namespace {

/// A declaration, and what its schema refers to.
struct Registration {
  DeclaredOp op;
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
  std::vector<std::string> output_types = {};
  std::vector<FieldInfo> fields = {};
  OpSchema schema = {};
};

constexpr std::size_t most_ops = 128;

struct Registry {
  std::mutex lock;
  std::deque<Registration> ops;  ///< which stay where they are
};

Registry& registry() {
  static Registry all;
  return all;
}

Registration& registration(std::size_t place) {
  const std::scoped_lock held(registry().lock);
  return registry().ops.at(place);
}

Op read_registered(const Registration& of, const Attributes& in) {
  RegisteredOp made{&of.op, {}};
  for (const DeclaredOp::Field& field : of.op.fields) {
    const auto found = in.find(field.name);
    require(found != in.end() || field.presence == Presence::optional, "attribute '", field.name, "' is missing");
    Attribute value = found == in.end() ? field.usual : found->second;
    if (const auto* whole = std::get_if<std::int64_t>(&value); whole != nullptr && field.kind == "real")
      value = static_cast<double>(*whole);
    require(value.index() == field.usual.index(), "attribute '", field.name, "' must be of kind ", field.kind);
    made.attributes.emplace(field.name, std::move(value));
  }
  for (const auto& given : in)
    require(made.attributes.contains(given.first), of.op.name, " has no attribute '", given.first, "'");
  return made;
}

/// Functions of a schema that are asked without an op: a pointer to a function carries no data, so that each place of
/// the registry has its own.
struct PlaceFunctions {
  std::vector<FieldInfo> (*fields)();
  Op (*read)(const Attributes&);
  Op (*defaults)();
};

template <std::size_t Place>
constexpr PlaceFunctions place_functions = {
    .fields = [] { return registration(Place).fields; },
    .read = [](const Attributes& in) { return read_registered(registration(Place), in); },
    .defaults =
        [] {
          const Registration& of = registration(Place);
          RegisteredOp usual{&of.op, {}};
          for (const DeclaredOp::Field& field : of.op.fields) usual.attributes.emplace(field.name, field.usual);
          return Op(std::move(usual));
        },
};

template <std::size_t... Place>
constexpr std::array<PlaceFunctions, sizeof...(Place)> functions_of(std::index_sequence<Place...>) {
  return {place_functions<Place>...};
}

constexpr std::array<PlaceFunctions, most_ops> functions = functions_of(std::make_index_sequence<most_ops>());

std::vector<std::string_view> operands_of(const Op& op, std::size_t count) {
  std::vector<std::string_view> names;
  for (const auto& operand : op.as<RegisteredOp>().of->operands) names.emplace_back(operand.name);
  require(names.size() == count, "takes ", names.size(), names.size() == 1 ? " input" : " inputs", ", given ", count);
  return names;
}

/// A body costs what its nodes cost; other ops count one operation for each element.
Cost cost_of_registered(const Op& op, Types in, Types out) {
  const RegisteredOp& one = op.as<RegisteredOp>();
  Cost cost;
  if (one.of->code.body) {
    const auto body = body_of(one, in);
    for (const Node& node : body->nodes()) {
      const Cost of_node = cost_of(*body, node);
      cost.flops += of_node.flops;
      cost.contraction = std::max(cost.contraction, of_node.contraction);
    }
  } else {
    for (const TensorType& type : out) cost.flops += static_cast<double>(type.shape.elements());
  }
  return cost;
}

bool are_equal(const Op& a, const Op& b) { return a.as<RegisteredOp>() == b.as<RegisteredOp>(); }

OpSchema schema_of(const Registration& of, const PlaceFunctions& asked) {
  return {.name = of.op.name,
          .summary = of.op.summary,
          .formula = of.op.formula,
          .tier = RegisteredOp::tier,
          .inputs = of.inputs,
          .outputs = of.outputs,
          .checks = {},
          .fields = asked.fields,
          .makes_values = false,
          .infer = [](const Op& op, Types in) { return op.as<RegisteredOp>().infer(in); },
          .error_class = [](const Op& op) { return op.as<RegisteredOp>().error_class(); },
          .cost = cost_of_registered,
          .loops = [](const Op&, Types, Types) { return Loops{}; },
          .function = [](const Op& op) { return op.name(); },
          .saturates = [](const Op&) { return false; },
          .operands = operands_of,
          .write = [](const Op& op) { return op.as<RegisteredOp>().attributes; },
          .read = asked.read,
          .defaults = asked.defaults,
          .equal = are_equal};
}

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void check_op_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  require(dot != std::string_view::npos, "the op '", name, "' has no dot: registered ops are called OWNER.NAME, as ",
          "acme.swish2");
  bool good = name.size() <= 100;
  for (std::size_t at = 0; good && at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    good = is_word(name.substr(at, end - at));
    at = end + 1;
  }
  require(good, "the op '", name.substr(0, 100), "' is not called by words of letters, digits and _ with dots between");
}

template <class Entry>
void check_names(const std::vector<Entry>& entries, std::string_view kind) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(is_word(entries[i].name), kind, " '", entries[i].name, "' is not called by letters, digits and _");
    for (std::size_t j = 0; j < i; ++j)
      require(entries[i].name != entries[j].name, kind, " '", entries[i].name, "' is there twice");
  }
}

bool has_operand(const DeclaredOp& op, std::string_view name) {
  return std::ranges::find(op.operands, name, &DeclaredOp::Operand::name) != op.operands.end();
}

/// Whether the class of its errors says of every element how far it may be off.
bool says_everything(ErrorClass error_class) {
  return error_class == ErrorClass::bits || error_class == ErrorClass::exact || error_class == ErrorClass::rounded;
}

void check_declared(const DeclaredOp& op) {
  check_names(op.operands, "input");
  check_names(op.results, "output");
  check_names(op.fields, "attribute");
  require(!op.operands.empty(), "has no inputs");
  require(!op.results.empty(), "has no outputs");
  for (const auto& operand : op.operands)
    require(operand.like.empty() || has_operand(op, operand.like), "input '", operand.name, "' is like '", operand.like,
            "', which is no input");
  for (const auto& result : op.results)
    require(result.like.empty() || has_operand(op, result.like), "output '", result.name, "' is like '", result.like,
            "', which is no input");
  const OpCode& code = op.code;
  require(code.body || code.cpu, "has neither a body nor cpu: nothing defines it");
  const bool is_typed = std::ranges::none_of(op.results, [](const auto& one) { return one.like.empty(); });
  require(code.body || code.infer || is_typed, "has no body and no infer: each output must be like an input");
  require(code.body || code.bounds || says_everything(op.error_class), "has no body, and class ",
          enum_name(op.error_class), " does not say how far each element may be off: bounds must");
}

/// The dtypes of the truth are among what an op takes: it is evaluated in them.
DTypes with_wider(DTypes dtypes) {
  for (std::size_t k = 0; k < dtype_count; ++k) {
    const auto one = static_cast<DType>(k);
    if (!dtypes.contains(one)) continue;
    if (is_float(one)) dtypes = dtypes | DType::f64;
    if (is_complex(one)) dtypes = dtypes | DType::c128;
  }
  return dtypes;
}

void fill_schema(Registration& made, const PlaceFunctions& asked) {
  for (auto& operand : made.op.operands) {
    operand.dtypes = with_wider(operand.dtypes);
    made.inputs.push_back(
        {.name = operand.name, .dtypes = operand.dtypes, .shape = operand.shape, .like = operand.like});
  }
  for (const auto& result : made.op.results)
    made.output_types.push_back(!result.like.empty() ? "as " + result.like : made.op.code.body ? "as its body" : "");
  for (std::size_t k = 0; k < made.op.results.size(); ++k)
    made.outputs.push_back({made.op.results[k].name, made.output_types[k]});
  for (const auto& field : made.op.fields)
    made.fields.push_back(
        {field.name, field.kind, field.doc, field.presence, {field.choices.begin(), field.choices.end()}});
  made.schema = schema_of(made, asked);
  made.op.schema = &made.schema;
}

}  // namespace

TensorTypes RegisteredOp::infer(Types in) const {
  TensorTypes out;
  if (of->code.body) {
    const auto body = of->code.body(*this, in);
    for (const Value v : body->results()) out.push_back(body->type(v));
  } else if (of->code.infer) {
    const std::scoped_lock held(*of->one_call);
    out = of->code.infer(*this, in);
  } else {
    out.resize(of->results.size());
  }
  require(out.size() == of->results.size(), of->code.body ? "its body has " : "infer gives ", out.size(),
          " results, and ", of->results.size(), " are declared");
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::string& like = of->results[k].like;
    if (like.empty()) continue;
    const auto i = std::ranges::find(of->operands, like, &DeclaredOp::Operand::name) - of->operands.begin();
    const TensorType& declared = in[static_cast<std::size_t>(i)];
    if (!of->code.body && !of->code.infer) out[k] = declared;
    require(out[k] == declared, "output '", of->results[k].name, "' is ", out[k], of->code.body ? " by its body" : "",
            ", declared as ", like, ", which is ", declared);
  }
  return out;
}

ErrorClass RegisteredOp::error_class() const { return of->error_class; }

const DeclaredOp& add_registered_op(DeclaredOp op) {
  check_op_name(op.name);
  const std::string name = op.name;
  try {
    check_declared(op);
  } catch (const Error& error) {
    fail("the op '", name, "' ", error.what());
  }
  const std::scoped_lock held(registry().lock);
  auto& ops = registry().ops;
  for (const Registration& other : ops) require(other.op.name != name, "the op '", name, "' is registered already");
  require(ops.size() < most_ops, "the op '", name, "' is one too many: ", most_ops, " can be registered");
  Registration& made = ops.emplace_back();
  made.op = std::move(op);
  fill_schema(made, functions[ops.size() - 1]);
  return made.op;
}

std::vector<const DeclaredOp*> registered_ops() {
  const std::scoped_lock held(registry().lock);
  std::vector<const DeclaredOp*> all;
  for (const Registration& one : registry().ops) all.push_back(&one.op);
  return all;
}

const DeclaredOp* registered(const OpSchema& schema) {
  if (schema.equal != are_equal) return nullptr;
  const std::scoped_lock held(registry().lock);
  for (const Registration& one : registry().ops)
    if (one.op.schema == &schema) return &one.op;
  return nullptr;
}

const DeclaredOp* registered(const Op& op) { return registered(op.schema()); }

std::shared_ptr<const Graph> body_of(const RegisteredOp& op, Types in) {
  op.infer(in);  // which compares its results with what was declared
  return op.of->code.body(op, in);
}

}  // namespace plumb::ir
