// Opens a file, finds its template, and checks all that the graph is made of before it makes it.
#include "ir/formats/gguf/architectures/read_gguf.hpp"

#include <algorithm>

#include "ir/files/read_file.hpp"
#include "ir/formats/gguf/architectures/prefill.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

constexpr std::size_t longest_shown_name = 60;

const Architecture& architecture_of(const Gguf& file) {
  const Metadata* const said = file.find("general.architecture");
  if (said == nullptr) throw Unsupported("metadata 'general.architecture' is missing: these are tensors alone");
  require(said->text().has_value(), "metadata 'general.architecture' is no string");
  const auto found = std::ranges::find(all_architectures, *said->text(), &Architecture::name);
  if (found == all_architectures.end())
    throw Unsupported(cat("architecture '", raw::shown(*said->text(), longest_shown_name),
                          "' has no template; there are ", names_of_architectures()));
  return *found;
}

void check_options(const Options& options, const Decoder& decoder, const BlockRange& blocks, Findings& findings) {
  const auto check = [&](bool holds, const std::string& what) {
    if (!holds) findings.note(what);
  };
  const std::int64_t context = options.rows();
  check(1 <= options.prompt_tokens && options.prompt_tokens <= most_extent, "the prompt must have 1 token or more");
  check(1 <= options.batch && options.batch <= most_extent, "the batch must be 1 or more");
  const std::int64_t steps = options.steps.value_or(0), last = options.prompt_tokens + steps;
  check(last <= context && context <= most_extent,
        cat("the context, ", context, ", must have room for the prompt of ", options.prompt_tokens,
            steps > 0 ? cat(" and ", steps, " behind it") : ""));
  check(!decoder.is_encoder || (!options.context && !options.has_all_logits && !options.steps),
        "the model is an encoder: it has neither caches, with a context, nor logits, and decodes nothing");
  const std::int64_t positions = decoder.is_encoder ? options.prompt_tokens : context;
  check(!decoder.has_position_table || positions <= decoder.trained_context,
        cat("there are ", positions, " positions, and position_embd has ", decoder.trained_context));
  const bool are_there = 0 <= blocks.from && blocks.from <= blocks.to && blocks.to <= decoder.blocks;
  check(are_there, cat("blocks ", blocks.from, ":", blocks.to, " are not among the model's ", decoder.blocks));
  for (std::int64_t i = blocks.from; are_there && i < blocks.to; ++i)
    if (const auto source = decoder.source(i); source && *source < blocks.from)
      return check(false, cat("block ", i, " reads the caches of block ", *source, ", which is not among blocks ",
                              blocks.from, ":", blocks.to));
}

/// Ids must be rows of the vocabulary: a gather would refuse others, and not say whose fault it is.
void check_tokens(const Options& options, std::int64_t vocabulary) {
  for (const std::int64_t token : options.tokens)
    require(0 <= token && token < vocabulary, "token ", token, " is outside the vocabulary of ", vocabulary);
  const std::int64_t wanted = options.batch * options.prompt_tokens, given = std::ssize(options.tokens);
  require(given == 0 || given == wanted, "there are ", given, " tokens, wanted ", options.batch, " times ",
          options.prompt_tokens);
}

std::vector<std::string> notes_on(const Gguf& file, const Decoder& decoder, const Options& options,
                                  std::int64_t vocabulary) {
  std::vector<std::string> notes = decoder.notes;
  const Metadata* const words = file.find("tokenizer.ggml.tokens");
  if (words != nullptr && words->is_array && words->count != static_cast<std::uint64_t>(vocabulary))
    notes.push_back(cat("the tokenizer has ", words->count, " tokens, token_embd ", vocabulary, " rows"));
  const Metadata* const size = file.find(cat(*file.find("general.architecture")->text(), ".vocab_size"));
  if (size != nullptr && size->number() && *size->number() != vocabulary)
    notes.push_back(cat(size->key, " is ", *size->number(), ", and token_embd has ", vocabulary, " rows"));
  const std::int64_t context = options.rows();
  if (!decoder.is_encoder && context > decoder.trained_context)
    notes.push_back(cat("the context of ", context, " is longer than that of the training, ", decoder.trained_context));
  return notes;
}

/// The graph of one token behind the prompt, over caches of the same length.
GraphFile step_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks, const Options& options) {
  Options one = options;
  one.context = options.rows();
  one.prompt_tokens = 1;
  one.has_all_logits = false;
  one.tokens.clear();
  GraphFile step = prefill_graph(decoder, weights, blocks, one);
  const std::vector<std::int32_t> behind(static_cast<std::size_t>(options.batch),
                                         static_cast<std::int32_t>(options.prompt_tokens));
  step.sources.insert_or_assign("write_at", Tensor::of({options.batch}, behind));
  return step;
}

Model read_model(const std::filesystem::path& path, const Options& options) {
  const Parts parts(path);
  const Gguf& file = parts.first();
  const Architecture& architecture = architecture_of(file);
  Findings findings;
  Keys keys(file, std::string(architecture.name), findings);
  const Decoder decoder = architecture.read(keys);
  const BlockRange blocks = options.blocks.value_or(BlockRange{0, decoder.blocks});
  Weights weights(parts, findings);
  check_weights(decoder, blocks, weights);
  check_options(options, decoder, blocks, findings);
  findings.throw_if_any();
  if (!weights.unsupported().empty()) throw Unsupported(weights.unsupported());
  const std::int64_t vocabulary = weights.at("token_embd.weight").shape[0];
  check_tokens(options, vocabulary);
  const auto graph_of = decoder.is_encoder ? encode_graph : prefill_graph;
  Model model{.file = graph_of(decoder, weights, blocks, options),
              .notes = notes_on(file, decoder, options, vocabulary)};
  if (options.steps) model.step = step_graph(decoder, weights, blocks, options);
  model.file.directory = parts.folder();
  if (model.step) model.step->directory = parts.folder();
  return model;
}

}  // namespace

Model read_gguf(const std::filesystem::path& path, const Options& options) {
  try {
    return read_model(path, options);
  } catch (const Unsupported& error) {
    throw Unsupported(files::with_name(path, error.what()));
  } catch (const Error& error) {
    throw Error(files::with_name(path, error.what()));
  }
}

std::string names_of_architectures() {
  std::string names;
  for (const Architecture& one : all_architectures) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

}  // namespace plumb::ir::formats::gguf::architectures
