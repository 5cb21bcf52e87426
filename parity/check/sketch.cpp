// Reads how ops describe the shapes of their operands.
#include "parity/check/sketch.hpp"

#include <algorithm>
#include <cctype>

namespace plumb::parity::check {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(by); at != text.npos; at = text.find(by)) {
    parts.push_back(trimmed(text.substr(0, at)));
    text.remove_prefix(at + by.size());
  }
  parts.push_back(trimmed(text));
  return parts;
}

std::string word(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_letter);
  std::string found(text.begin(), end);
  text.remove_prefix(found.size());
  return found;
}

/// Reads one term from the front: "4H", "C/g", "1".
Term parse_term(std::string_view& text, std::string_view whole) {
  Term term;
  std::int64_t number = 0;
  bool has_number = false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    number = 10 * number + (text.front() - '0');
    has_number = true;
    ir::require(number < std::int64_t{1} << 40, "the shape '", whole, "' has a number that is too large");
  }
  if (has_number) term.factor = number;
  term.letter = word(text);
  ir::require(has_number || !term.letter.empty(), "the shape '", whole, "' cannot be read");
  if (text.starts_with('/')) {
    text.remove_prefix(1);
    term.divisor = word(text);
    ir::require(!term.divisor.empty(), "the shape '", whole, "' cannot be read");
  }
  return term;
}

Entry parse_entry(std::string_view text) {
  if (text.ends_with("..")) return {.list = std::string(text)};
  Entry entry;
  std::int64_t sign = 1;
  for (std::string_view rest = text;; rest = trimmed(rest)) {
    Term term = parse_term(rest, text);
    term.factor *= sign;
    entry.terms.push_back(std::move(term));
    rest = trimmed(rest);
    if (rest.empty()) return entry;
    ir::require(rest.front() == '+' || rest.front() == '-', "the shape '", text, "' cannot be read");
    sign = rest.front() == '+' ? 1 : -1;
    rest = trimmed(rest.substr(1));
  }
}

std::vector<Entry> parse_entries(std::string_view text) {
  std::vector<Entry> entries;
  if (trimmed(text).empty()) return entries;
  for (const std::string_view part : split(text, ","))
    // "[.. n ..]" has spaces alone, "[m axes.., j..]" has one in a name.
    for (const std::string_view piece : part.starts_with(".. ") ? split(part, " ") : std::vector{part})
      entries.push_back(parse_entry(piece));
  const auto first = std::ranges::find(entries, "..", &Entry::list);
  if (first == entries.end()) return entries;
  const auto second = std::find_if(first + 1, entries.end(), [](const Entry& entry) { return entry.list == ".."; });
  if (second != entries.end()) second->list = trailing_list;
  return entries;
}

Form parse_form(std::string_view text) {
  for (const std::string_view start : {"broadcasts to ", "as ", "shape of "}) {
    if (!text.starts_with(start)) continue;
    const std::string_view rest = trimmed(text.substr(start.size()));
    Form form = rest.starts_with('[') ? parse_form(rest) : Form{.like = std::string(rest)};
    form.broadcasts = start.starts_with('b');
    return form;
  }
  const std::size_t end = text.find(']');
  ir::require(text.starts_with('[') && end != text.npos, "the shape '", text, "' cannot be read");
  return {.entries = parse_entries(text.substr(1, end - 1))};
}

/// The whole numbers of an attribute, one or many; none where the op has no such attribute.
std::vector<std::int64_t> whole_numbers(const ir::Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return {};
  if (const auto* one = std::get_if<std::int64_t>(&found->second)) return {*one};
  const auto* many = std::get_if<std::vector<std::int64_t>>(&found->second);
  return many != nullptr ? *many : std::vector<std::int64_t>{};
}

/// Makes the first operand have the axes that `axis` and `axes` name, and puts a letter between two lists on its axis.
void place_axes(const ir::Op& op, Sketch& sketch) {
  if (sketch.operands.empty() || sketch.operands.front().forms.empty()) return;
  const auto& entries = sketch.operands.front().forms.front().entries;
  const ir::Attributes attributes = op.attributes();
  std::vector<std::int64_t> axes = whole_numbers(attributes, "axis");
  const auto is_list = [](std::string_view name) { return [name](const Entry& entry) { return entry.list == name; }; };
  const auto list = std::ranges::find_if(entries, is_list("..")),
             behind = std::ranges::find_if(entries, is_list(trailing_list));
  if (behind != entries.end() && axes.size() == 1) {
    const std::int64_t before = list - entries.begin(), after = entries.end() - behind - 1;
    const std::int64_t length = axes[0] < 0 ? -1 - axes[0] - after : axes[0] - before;
    if (length < 0 || length > ir::max_rank) return;  // the op will say so
    const auto exact = static_cast<std::size_t>(length);
    sketch.lengths[axes[0] < 0 ? std::string(trailing_list) : ".."] = {exact, exact};
    return;
  }
  for (const std::int64_t axis : whole_numbers(attributes, "axes")) axes.push_back(axis);
  std::int64_t rank = 0;
  for (const std::int64_t axis : axes) rank = std::max(rank, axis < 0 ? -axis : axis + 1);
  if (list == entries.end() || rank > ir::max_rank) return;
  const std::int64_t others = std::ssize(entries) - 1;
  sketch.lengths[".."].least = static_cast<std::size_t>(std::max<std::int64_t>(rank - others, 0));
}

/// The letter that an entry is by itself; "" where it is none.
std::string letter_of(const Entry& entry) {
  const bool is_letter =
      entry.terms.size() == 1 && entry.terms[0].factor == 1 && entry.terms[0].divisor.empty() && entry.list.empty();
  return is_letter ? entry.terms[0].letter : "";
}

/// Decides the letters and the list of a form by a shape. False where it cannot be that shape.
bool decide(Sketch& sketch, const Form& form, const ir::Shape& shape) {
  const auto is_list = [](const Entry& entry) { return !entry.list.empty(); };
  const std::ptrdiff_t lists = std::ranges::count_if(form.entries, is_list);
  const std::ptrdiff_t letters = std::ssize(form.entries) - lists, axes = std::ssize(shape) - letters;
  if (form.broadcasts || lists > 1 || axes < 0 || (lists == 0 && axes != 0)) return false;
  std::size_t at = 0;
  for (const Entry& entry : form.entries) {
    if (!entry.list.empty()) {
      const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(at);
      const auto limits = sketch.lengths.find(entry.list);
      const auto length = static_cast<std::size_t>(axes);
      if (limits != sketch.lengths.end() && (length < limits->second.least || length > limits->second.most))
        return false;
      const auto [list, is_new] = sketch.given.try_emplace(entry.list, begin, begin + axes);
      if (!is_new && !std::equal(list->second.begin(), list->second.end(), begin, begin + axes)) return false;
      at += length;
      continue;
    }
    const std::int64_t extent = shape[at++];
    const std::string letter = letter_of(entry);
    if (!letter.empty() && sketch.fixed.try_emplace(letter, extent).first->second != extent) return false;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> Entry::extent(const Letters& letters) const {
  std::int64_t sum = 0;
  for (const Term& term : terms) {
    std::int64_t value = term.factor;
    if (!term.letter.empty()) {
      const auto found = letters.find(term.letter);
      if (found == letters.end() || __builtin_mul_overflow(value, found->second, &value)) return std::nullopt;
    }
    if (!term.divisor.empty()) {
      const bool is_number = is_digit(term.divisor.front());
      const auto found = letters.find(term.divisor);
      if (!is_number && found == letters.end()) return std::nullopt;
      const std::int64_t by = is_number ? std::stoll(term.divisor) : found->second;
      if (by == 0 || value % by != 0) return std::nullopt;
      value /= by;
    }
    if (__builtin_add_overflow(sum, value, &sum)) return std::nullopt;
  }
  return sum < 0 ? std::nullopt : std::optional(sum);
}

Operand& Sketch::operand(std::string_view name) {
  const auto found = std::ranges::find(operands, name, &Operand::name);
  ir::require(found != operands.end(), "there is no operand '", name, "'");
  return *found;
}

void Sketch::reshape(std::string_view name, std::string_view text) {
  for (Operand& one : operands)
    if (one.name == name) one.forms = parse_forms(text);
}

std::vector<std::string> Sketch::names() const {
  std::vector<std::string> found;
  const auto add = [&](const std::string& name) {
    const bool is_name = !name.empty() && !is_digit(name.front());
    if (is_name && std::ranges::find(found, name) == found.end()) found.push_back(name);
  };
  for (const Operand& one : operands)
    for (const Form& form : one.forms)
      for (const Entry& entry : form.entries) {
        add(entry.list);
        for (const Term& term : entry.terms) {
          add(term.letter);
          add(term.divisor);
        }
      }
  return found;
}

std::vector<Form> parse_forms(std::string_view text) {
  std::vector<Form> forms;
  for (const std::string_view part : split(text, " or ")) forms.push_back(parse_form(part));
  return forms;
}

bool bind(Sketch& sketch, std::size_t operand, const ir::Shape& shape, Random& random) {
  if (operand >= sketch.operands.size()) return false;
  Operand& bound = sketch.operands[operand];
  if (bound.forms.empty()) return false;
  const Form form = bound.forms[random() % bound.forms.size()];
  bound.forms = {form};
  if (form.like.empty()) return decide(sketch, form, shape);
  const auto like = std::ranges::find(sketch.operands, form.like, &Operand::name) - sketch.operands.begin();
  return !form.broadcasts && like < static_cast<std::ptrdiff_t>(operand) &&
         bind(sketch, static_cast<std::size_t>(like), shape, random);
}

Sketch sketch_of(const ir::Op& op, Random& random) {
  Sketch sketch;
  const ir::Attributes attributes = op.attributes();
  for (const ir::Input& input : op.schema().inputs) {
    if (!input.when.empty()) {
      const auto found = attributes.find(input.when);
      const bool* const given = found == attributes.end() ? nullptr : std::get_if<bool>(&found->second);
      if (given == nullptr || !*given) continue;
    }
    sketch.operands.push_back(
        {.name = std::string(input.name), .dtypes = input.dtypes, .like = std::string(input.like), .forms = {}});
  }
  adapt(op, sketch, random);
  for (Operand& one : sketch.operands) {
    const auto input = std::ranges::find(op.schema().inputs, std::string_view(one.name), &ir::Input::name);
    if (one.forms.empty() && input != op.schema().inputs.end()) one.forms = parse_forms(input->shape);
  }
  place_axes(op, sketch);
  return sketch;
}

}  // namespace plumb::parity::check
