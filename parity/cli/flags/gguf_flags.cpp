// Reads the flags of GGUF models: numbers of tokens, ids, and which blocks.
#include "parity/cli/flags/gguf_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "ir/files/read_file.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli::flags {
namespace {

namespace architectures = ir::formats::gguf::architectures;

constexpr std::string_view between_ids = ", \t\r\n";

std::int64_t whole_of(std::string_view word, std::string_view flag) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  ir::require(error == std::errc{} && end == word.data() + word.size() && number >= 0, flag,
              " wants whole numbers of at least 0, got '", word.substr(0, 40), "'");
  return number;
}

/// The ids of "1,2,3", or of a file that has them.
std::vector<std::int64_t> ids_of(const std::string& given) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 24;
  const bool is_list = given.find_first_not_of("0123456789,") == std::string::npos;
  const std::string text = is_list ? given : ir::files::read_named_text(given, most_bytes);
  std::vector<std::int64_t> ids;
  for (std::size_t at = text.find_first_not_of(between_ids); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(between_ids, at), text.size());
    ids.push_back(whole_of(std::string_view(text).substr(at, end - at), "--tokens"));
    at = text.find_first_not_of(between_ids, end);
  }
  ir::require(!ids.empty(), "--tokens ", given, ": has no ids");
  return ids;
}

architectures::BlockRange range_of(const std::string& text) {
  const auto colon = text.find(':');
  ir::require(colon != std::string::npos, "--blocks wants FROM:TO, as 0:2 for the first two, got '", text, "'");
  const std::string_view all = text;
  return {whole_of(all.substr(0, colon), "--blocks"), whole_of(all.substr(colon + 1), "--blocks")};
}

architectures::Options options_of(const GgufFlags& flags) {
  architectures::Options options = flags.options;
  options.has_all_logits = flags.logits == "all";
  if (!flags.blocks.empty()) options.blocks = range_of(flags.blocks);
  if (flags.context > 0) options.context = flags.context;
  if (flags.prompt_tokens > 0) options.prompt_tokens = flags.prompt_tokens;
  if (flags.decode > 0) options.steps = flags.decode;
  if (flags.tokens.empty()) return options;
  options.tokens = ids_of(flags.tokens);
  const std::int64_t given = std::ssize(options.tokens);
  ir::require(given % options.batch == 0, "--tokens has ", given, " ids, which --batch ", options.batch,
              " does not divide");
  if (flags.prompt_tokens == 0) options.prompt_tokens = given / options.batch;
  return options;
}

}  // namespace

void add_gguf_flags(CLI::App& app, GgufFlags& flags) {
  constexpr std::uint64_t most = 1 << 24;
  app.add_option("--prompt-tokens", flags.prompt_tokens, "tokens of a GGUF model's prompt (16)")
      ->check(whole_from_to(1, most))
      ->group("language models");
  app.add_option("--tokens", flags.tokens,
                 "ids of the prompt, 1,2,3 or a file with them; the seed makes them where none are given")
      ->group("language models");
  app.add_option("--context", flags.context, "rows of its caches (4 more than the prompt has tokens)")
      ->check(whole_from_to(1, most))
      ->group("language models");
  app.add_option("--batch", flags.options.batch, "prompts at once (1)")
      ->check(whole_from_to(1, most))
      ->group("language models");
  app.add_option("--blocks", flags.blocks, "FROM:TO: these blocks of the model alone, as 0:2 for the first two")
      ->group("language models");
  app.add_option("--logits", flags.logits, "logits of the last token of a prompt (last), or of all")
      ->check(one_of({"last", "all"}))
      ->group("language models");
}

void add_decode_flags(CLI::App& app, GgufFlags& flags) {
  constexpr std::uint64_t most = 1 << 24;
  ir::ops::Sample& draw = flags.options.draw;
  CLI::Option* const decode =
      app.add_option("--decode", flags.decode,
                     "then run so many tokens more, each drawn from the logits before it; --context is for them, too")
          ->check(whole_from_to(1, most))
          ->group("language models");
  const auto add = [&](const std::string& name, auto& value, const CLI::Validator& check, const std::string& help) {
    app.add_option(name, value, help)->check(check)->needs(decode)->group("language models");
  };
  add("--temperature", draw.temperature, not_negative(),
      "what logits are divided by before --decode draws; 0 takes the likeliest token (0)");
  add("--top-k", draw.top_k, whole_from_to(0, most), "draw from so many of the likeliest tokens alone; 0 is all (0)");
  add("--top-p", draw.top_p, from_to(0, 1), "draw from the likeliest tokens that have this share of the weight (1)");
  add("--min-p", draw.min_p, from_to(0, 1), "draw none whose weight over that of the likeliest is below this (0)");
}

void require_no_gguf_flags(const std::filesystem::path& path, const GgufFlags& flags) {
  ir::require(repeated(flags).empty(), path.string(),
              ": --prompt-tokens, --tokens, --context, --batch, --blocks, --logits and --decode go with GGUF models, "
              "and this is not one");
}

ir::formats::GraphFile read_gguf_model(const std::filesystem::path& path, const GgufFlags& flags) {
  architectures::Model model = architectures::read_gguf(path, options_of(flags));
  if (flags.is_of_step) return std::move(model.step.value());
  if (!model.notes.empty()) report::Progress::erase_any();
  for (const std::string& note : model.notes) std::cerr << "note: " << path.string() << ": " << note << '\n';
  return std::move(model.file);
}

std::string repeated(const GgufFlags& flags) {
  std::string text;
  if (flags.prompt_tokens > 0) text += ir::cat(" --prompt-tokens ", flags.prompt_tokens);
  if (!flags.tokens.empty()) text += " --tokens " + core::terminal::shell_word(flags.tokens);
  if (flags.context > 0) text += ir::cat(" --context ", flags.context);
  if (flags.options.batch != 1) text += ir::cat(" --batch ", flags.options.batch);
  if (!flags.blocks.empty()) text += " --blocks " + core::terminal::shell_word(flags.blocks);
  if (!flags.logits.empty()) text += " --logits " + flags.logits;
  if (flags.decode == 0) return text;
  text += ir::cat(" --decode ", flags.decode);
  const ir::ops::Sample &draw = flags.options.draw, usual = architectures::Options().draw;
  if (draw.temperature != usual.temperature) text += fmt::format(" --temperature {}", draw.temperature);
  if (draw.top_k != usual.top_k) text += ir::cat(" --top-k ", draw.top_k);
  if (draw.top_p != usual.top_p) text += fmt::format(" --top-p {}", draw.top_p);
  if (draw.min_p != usual.min_p) text += fmt::format(" --min-p {}", draw.min_p);
  return text;
}

}  // namespace plumb::parity::cli::flags
