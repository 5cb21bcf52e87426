// Inputs given by --input and --load-inputs: read against a model's declared types, and again against its
// graph.
#include "parity/cli/flags/given_tensors.hpp"

#include <algorithm>
#include <iostream>

#include "ir/formats/json.hpp"
#include "ir/formats/result_names.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/formats/tensor_json.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/report/progress.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli::flags {
namespace {

/// Reads the value of a literal, from the first bracket to the last.
class LiteralReader {
 public:
  explicit LiteralReader(Literal& literal) : literal_(literal), rest_(literal.text) {}

  void read() {
    value(0);
    skip_spaces();
    require_here(rest_.empty());
  }

 private:
  void value(std::size_t depth) {
    skip_spaces();
    if (!takes('[')) return word(depth);
    require_here(depth < static_cast<std::size_t>(ir::max_rank));
    require_here(depth < depths_.size() || literal_.words.empty());
    if (depths_.size() <= depth) depths_.push_back(unknown);
    std::int64_t count = 0;
    skip_spaces();
    if (!takes(']')) {
      do {
        value(depth + 1);
        ++count;
      } while (takes(','));
      require_here(takes(']'));
    }
    skip_spaces();
    ir::require(depths_[depth] == unknown || depths_[depth] == count, "--input ", literal_.name, "=", literal_.text,
                ": has lists of ", depths_[depth], " and of ", count, " beside each other");
    depths_[depth] = count;
    if (depth == 0) literal_.shape = ir::Shape(depths_);
  }
  void word(std::size_t depth) {
    const auto length = std::min(rest_.find_first_of("[], \t"), rest_.size());
    require_here(length > 0 && depth == depths_.size());
    literal_.words.emplace_back(rest_.substr(0, length));
    rest_.remove_prefix(length);
    skip_spaces();
  }
  bool takes(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  void require_here(bool holds) const {
    ir::require(holds, "--input wants NAME=VALUE, a number or a list as sr=16000 or shape=[1,2,3], got '",
                literal_.name, "=", literal_.text, "'");
  }

  static constexpr std::int64_t unknown = -1;
  Literal& literal_;
  std::string_view rest_;
  std::vector<std::int64_t> depths_;  ///< how long lists are, by how deep they lie
};

ir::formats::Json json_of(const std::string& word) {
  if (word == "nan" || word == "inf" || word == "-inf") return word;
  return ir::formats::parse_json(word);
}

ir::Tensor spread(const ir::Tensor& one, const ir::TensorType& type) {
  ir::Tensor all(type);
  const auto from = one.bytes();
  const auto to = all.bytes();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i % from.size()];
  return all;
}

/// Which of these names was probably meant or, where none is close, what the first of them are.
std::string nearest_of(std::string_view found, const std::vector<std::string>& names) {
  constexpr std::size_t most_named = 6;
  std::string text = core::did_you_mean(std::string(found), names);
  if (!text.empty() || names.empty()) return text;
  text = "; there is ";
  for (std::size_t k = 0; k < names.size() && k < most_named; ++k) text += (k == 0 ? "'" : ", '") + names[k] + "'";
  return text + (names.size() > most_named ? ", ..." : "");
}

std::vector<std::string> source_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (ir::Value v = 0; graph.is_source(v); ++v) names.push_back(graph.name(v));
  return names;
}

/// "2 inputs and 1 params from x.npz, 0 inputs generated": a tensor that is missing there is made in its place.
std::string fed_text(const ir::formats::GraphFile& file, const ir::Feeds& loaded, const ir::Feeds& all,
                     const std::string& from) {
  std::size_t inputs = 0, params = 0, generated = 0;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const bool is_input = v < file.graph.inputs().size();
    const auto source = file.sources.find(file.graph.name(v));
    if (loaded.contains(file.graph.name(v)))
      ++(is_input ? inputs : params);
    else if (is_input && !all.contains(file.graph.name(v)) &&
             (source == file.sources.end() || std::holds_alternative<ir::formats::Generated>(source->second)))
      ++generated;
  }
  const std::string and_params = params == 0 ? "" : " and " + core::terminal::counted(params, "param");
  return ir::cat(core::terminal::counted(inputs, "input"), and_params, " from ", from, ", ",
                 core::terminal::counted(generated, "input"), " generated");
}

/// Throws Error, with the axis, where a tensor cannot be what a file declares; what the file leaves open is anything.
void require_declared(const ir::formats::OnnxValue& value, const ir::TensorType& type, const std::string& from) {
  const auto is_what = ir::cat(from, ": '", value.name, "' is ", value.type, ", but what is given for it ", type);
  ir::require(value.dtype == type.dtype, is_what);
  if (!value.extents) return;
  ir::require(value.extents->size() == type.shape.size(), is_what);
  for (std::size_t k = 0; k < type.shape.size(); ++k)
    ir::require((*value.extents)[k] < 0 || (*value.extents)[k] == type.shape[k], is_what, ": axis ", k, " is ",
                (*value.extents)[k], " and ", type.shape[k]);
}

/// The names of a model that may be given.
class Names {
 public:
  explicit Names(const ir::formats::OnnxFacts& facts) : facts_(facts) {
    for (const auto* values : {&facts.inputs, &facts.defaults})
      for (const ir::formats::OnnxValue& value : *values) all_.push_back(value.name);
    all_.insert(all_.end(), facts.initialisers.begin(), facts.initialisers.end());
  }

  /// An input by its name in the file or as that is shown, also one that the file has numbers for; null where none is
  /// called so.
  const ir::formats::OnnxValue* input(std::string_view name) const {
    for (const auto called : {&ir::formats::OnnxValue::key, &ir::formats::OnnxValue::name})
      for (const auto* values : {&facts_.inputs, &facts_.defaults})
        for (const ir::formats::OnnxValue& value : *values)
          if (value.*called == name) return &value;
    return nullptr;
  }
  bool has(std::string_view name) const {
    return input(name) != nullptr || std::ranges::find(all_, name) != all_.end();
  }
  /// Its name in a reader's options.
  std::string key(const std::string& name) const {
    const auto* const found = input(name);
    return found == nullptr ? name : found->key;
  }
  std::string nearest(std::string_view name) const { return nearest_of(name, all_); }

 private:
  const ir::formats::OnnxFacts& facts_;
  std::vector<std::string> all_;
};

void give_literals(const ModelFlags& flags, const Names& names, ir::formats::OnnxOptions& options) {
  for (const std::string& flag : flags.inputs) {
    const Literal literal = parse_literal(flag);
    const auto* const input = names.input(literal.name);
    ir::require(names.has(literal.name), "no input is called '", literal.name, "', which --input names",
                names.nearest(literal.name));
    if (input == nullptr) continue;  // a param: it is looked at when the graph has been read
    ir::require(input->dtype.has_value(), "--input ", literal.name, ": the input is a ", input->type,
                ", which no number can be given for");
    const ir::Tensor tensor = tensor_of(literal, *input->dtype);
    const bool is_one_for_all =
        literal.is_number() && (input->extents ? !input->extents->empty() : options.shapes.contains(input->key));
    auto& to = is_one_for_all ? options.spread : options.given;
    ir::require(!options.given.contains(input->key) && to.emplace(input->key, tensor).second, "input '", literal.name,
                "' is given by --input, but by --data or another --input, too");
  }
}

void give_loaded(const ModelFlags& flags, const Names& names, ir::formats::OnnxOptions& options) {
  if (flags.load_inputs.empty()) return;
  const std::string& from = flags.load_inputs;
  const auto tensors =
      ir::formats::load_tensors(from, options.most_bytes, [&](std::string_view name, const ir::TensorType& found) {
        ir::require(names.has(name), from, ": has '", name, "', and no input or param is called so",
                    names.nearest(name));
        const auto* const input = names.input(name);
        const ir::TensorType type =
            ir::formats::taken_as(found, input ? input->dtype.value_or(found.dtype) : found.dtype);
        if (input != nullptr) require_declared(*input, type, from);
        const std::string key = names.key(std::string(name));
        ir::require(!options.given.contains(key) && !options.spread.contains(key), "input '", name, "' is given by ",
                    from, ", but by --data or --input, too");
        return type;
      });
  for (const auto& [name, tensor] : tensors) options.given.emplace(names.key(name), tensor);
}

/// Lets the inputs among what a candidate saved settle what a model leaves open; no other tensor of it is looked at.
void give_dumped(const ModelFlags& flags, const Names& names, ir::formats::OnnxOptions& options) {
  if (flags.dump.empty() || !flags.load_inputs.empty()) return;
  const auto file = ir::formats::open_tensors(flags.dump);
  for (const std::string& stored : file->names()) {
    if (!stored.starts_with(flags.dump_prefix)) continue;
    std::string_view name = std::string_view(stored).substr(flags.dump_prefix.size());
    if (!flags.dump_prefix.empty() && name.starts_with('/')) name.remove_prefix(1);
    const auto* const input = names.input(name);
    if (input == nullptr || options.given.contains(input->key) || options.spread.contains(input->key)) continue;
    const ir::DType dtype = input->dtype.value_or(file->type(stored).dtype);
    require_declared(*input, ir::formats::taken_as(file->type(stored), dtype), flags.dump);
    options.given.emplace(input->key, ir::formats::taken_as(file->read(stored), dtype));
  }
}

}  // namespace

ir::TensorType taken_for(const ir::Graph& graph, std::string_view name, const ir::TensorType& found) {
  for (const auto& value : {graph.find(name), ir::formats::find_computed(graph, name)})
    if (value) return ir::formats::taken_as(found, graph.type(*value).dtype);
  return found;
}

bool Literal::is_number() const { return shape.empty() && words.size() == 1; }

Literal parse_literal(const std::string& flag) {
  const auto equals = flag.find('=');
  ir::require(equals != std::string::npos && equals != 0,
              "--input wants NAME=VALUE, as sr=16000 or shape=[1,2,3], got '", flag, "'");
  Literal literal{.name = flag.substr(0, equals), .text = flag.substr(equals + 1), .shape = {}, .words = {}};
  LiteralReader(literal).read();
  return literal;
}

ir::Tensor tensor_of(const Literal& literal, ir::DType dtype) try {
  ir::formats::JsonArray values;
  for (const std::string& word : literal.words) values.push_back(json_of(word));
  return ir::formats::tensor_from_values({dtype, literal.shape}, std::move(values));
} catch (const ir::Error& error) {
  ir::fail("--input ", literal.name, "=", literal.text, " is to be ", dtype, ": ", error.what());
}

void give(const ModelFlags& flags, const ir::formats::OnnxFacts& facts, ir::formats::OnnxOptions& options) {
  const Names names(facts);
  give_literals(flags, names, options);
  give_loaded(flags, names, options);
  give_dumped(flags, names, options);
  if (flags.expected.empty()) return;
  const auto expected = ir::formats::open_tensors(flags.expected);
  for (const std::string& name : expected->names()) options.expected.emplace(name, expected->type(name).shape);
}

ir::Feeds given_to(const ir::formats::GraphFile& file, const ModelNames& names, const ModelFlags& flags,
                   std::uint64_t most_bytes) {
  const auto in_graph = [&](std::string_view name) {  // "" where it is folded
    const auto fed = names.fed.find(name);
    return fed == names.fed.end() ? std::string(name) : fed->second;
  };
  ir::Feeds all;
  for (const std::string& flag : flags.inputs) {
    const Literal literal = parse_literal(flag);
    const std::string name = in_graph(literal.name);
    if (name.empty()) continue;
    const auto value = file.graph.find(name);
    ir::require(value && file.graph.is_source(*value), "no input is called '", literal.name, "', which --input names",
                nearest_of(literal.name, source_names(file.graph)));
    const ir::TensorType& type = file.graph.type(*value);
    ir::Tensor tensor = tensor_of(literal, type.dtype);
    if (literal.is_number()) tensor = spread(tensor, type);
    ir::require(tensor.type() == type, "input '", literal.name, "' is ", type, ", but --input gives ", tensor.type());
    ir::require(all.emplace(name, std::move(tensor)).second, "input '", literal.name, "' is given by --input twice");
  }
  if (flags.load_inputs.empty()) return all;
  ir::Feeds tensors = ir::formats::load_tensors(
      flags.load_inputs, most_bytes, [&](std::string_view given, const ir::TensorType& found) {
        const std::string name = in_graph(given);
        ir::require(!all.contains(name), "input '", name, "' is given by --input and by ", flags.load_inputs);
        if (name.empty()) return found;
        const ir::TensorType type = taken_for(file.graph, name, found);
        verify::require_given(file, flags.load_inputs, name, type);
        return type;
      });
  ir::require(!tensors.empty(), flags.load_inputs, ": has no tensor, so that it feeds nothing");
  ir::Feeds loaded;
  for (auto& [given, tensor] : tensors)
    if (const std::string name = in_graph(given); !name.empty())
      ir::require(loaded.try_emplace(name, std::move(tensor)).second, flags.load_inputs, ": gives '", name, "' twice");
  report::Progress::erase_any();
  std::cerr << fed_text(file, loaded, all, flags.load_inputs) << '\n';
  all.merge(loaded);
  return all;
}

ir::formats::GraphFile read_fed(const std::string& path, const ModelFlags& flags) {
  const auto names = std::make_shared<ModelNames>();
  ir::formats::GraphFile file = model_reader(flags, names)(path);
  for (auto& [name, tensor] : given_to(file, *names, flags, ir::formats::usual_memory_budget)) {
    file.sources.insert_or_assign(name, tensor);
    file.decimals.written.erase(name);
  }
  return file;
}

std::string repeated(const ModelFlags& flags) {
  std::string text;
  for (const std::string& shape : flags.shapes) text += " --shape " + core::terminal::shell_word(shape);
  for (const std::string& bucket : flags.buckets) text += " --bucket " + core::terminal::shell_word(bucket);
  for (const std::string& input : flags.inputs) text += " --input " + core::terminal::shell_word(input);
  if (!flags.data.empty()) text += " --data " + core::terminal::shell_word(flags.data);
  if (!flags.load_inputs.empty()) text += " --load-inputs " + core::terminal::shell_word(flags.load_inputs);
  if (!flags.expected.empty()) text += " --expected " + core::terminal::shell_word(flags.expected);
  return text + repeated(flags.gguf);
}

}  // namespace plumb::parity::cli::flags
