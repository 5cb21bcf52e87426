// Says why an output has other bits: the first of the things that are recorded of it that differs.
#include "parity/studies/drift/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/attribute.hpp"

namespace plumb::parity::studies::drift {
namespace {

struct Because {
  DriftCause cause = DriftCause::unexplained;
  std::string about = {};
};

std::string from_to(const std::string& was, const std::string& is) {
  const auto named = [](const std::string& one) { return one.empty() ? std::string("none") : one; };
  return named(was) + " -> " + named(is);
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// "-fuse=on +fuse=off": lines of options that only one side has.
std::string other_options(const std::string& was, const std::string& is) {
  const auto before = lines_of(was), after = lines_of(is);
  std::string text;
  const auto add = [&](char sign, const std::string& line) {
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", sign, line);
  };
  for (const std::string& line : before)
    if (!after.contains(line)) add('-', line);
  for (const std::string& line : after)
    if (!before.contains(line)) add('+', line);
  return text;
}

Because because_of_run(const Record& was, const Record& is, bool is_inherited) {
  if (was.device != is.device) return {DriftCause::device, from_to(was.device, is.device)};
  if (was.driver != is.driver) return {DriftCause::driver, from_to(was.driver, is.driver)};
  if (is_inherited) return {DriftCause::inherited, "its operands have other bits"};
  if (was.options != is.options) return {DriftCause::options, other_options(was.options, is.options)};
  if (was.tool != is.tool) return {DriftCause::tool, from_to(was.tool, is.tool)};
  return {DriftCause::unexplained, "nothing that is recorded differs; try plumb verify --repeat"};
}

Because because(const Record& was_run, const Record& is_run, const Output& was, const Output& is, bool is_paired) {
  if (was.kernel != is.kernel) return {DriftCause::kernel, from_to(was.kernel, is.kernel)};
  if (was.tile != is.tile) return {DriftCause::tile, from_to(was.tile, is.tile)};
  if (was.sums != is.sums) return {DriftCause::sums, "it adds in another order"};
  return because_of_run(was_run, is_run, is_paired && was.operands_hash != is.operands_hash);
}

bool is_bad(core::Verdict verdict) {
  return verdict == core::Verdict::failed || verdict == core::Verdict::nondeterministic ||
         verdict == core::Verdict::error;
}

Change change_between(const Record& was, const Record& is, const Output& output) {
  return {.id = is.id.empty() ? was.id : is.id,
          .file = is.file,
          .node = output.node,
          .op = output.op,
          .dtype = output.dtype,
          .kernel = output.kernel};
}

}  // namespace

Change change_of(const Series& series, bool is_paired) {
  const auto first = [](const std::vector<const Output*>& outputs) {
    const auto found = std::ranges::find_if(outputs, [](const Output* one) { return one != nullptr; });
    return found == outputs.end() ? static_cast<const Output*>(nullptr) : *found;
  };
  const Output *const first_was = first(series.base), *const first_is = first(series.now);
  Change made = change_between(*series.was, *series.is, *first_is);
  Because why{};
  if (!is_paired) why = because(*series.was, *series.is, *first_was, *first_is, false);
  for (std::size_t i = 0; i < series.base.size(); ++i) {
    const Output *const was = series.base[i], *const is = series.now[i];
    if (was == nullptr || is == nullptr) {
      made.seeds += was != is;
      continue;
    }
    ++made.seeds;
    if (was->out_hash == is->out_hash) continue;
    const Because now = because(*series.was, *series.is, *was, *is, true);
    if (made.differing++ == 0 || now.cause < why.cause) why = now;
    if (made.verdicts.empty() && is_bad(is->verdict) && !is_bad(was->verdict))
      made.verdicts = fmt::format("{} -> {}", ir::enum_name(was->verdict), ir::enum_name(is->verdict));
  }
  if (!is_paired && is_bad(first_is->verdict) && !is_bad(first_was->verdict))
    made.verdicts = fmt::format("{} -> {}", ir::enum_name(first_was->verdict), ir::enum_name(first_is->verdict));
  made.cause = why.cause;
  made.about = why.about;
  return made;
}

bool has_other_limit(const Series& series) {
  constexpr double same = 1e-5;  // records of few rows keep 24 bits
  for (std::size_t i = 0; i < series.base.size(); ++i) {
    if (series.base[i] == nullptr || series.now[i] == nullptr) continue;
    const double was = series.base[i]->ratio, is = series.now[i]->ratio;
    if (std::abs(was - is) > same * std::max(std::abs(was), std::abs(is))) return true;
  }
  return false;
}

Change new_output(const Record& was, const Record& is, const Output& output) {
  Change made = change_between(was, is, output);
  made.standing = Standing::appeared;
  const Because why = because_of_run(was, is, false);
  made.cause = why.cause;
  made.about = why.about;
  return made;
}

Change worse_end(const Record& was, const Record& is) {
  Change made = change_between(was, is, {.node = "(case)"});
  made.standing = Standing::worse;
  made.verdicts = fmt::format("{} -> {}", ir::enum_name(was.verdict), ir::enum_name(is.verdict));
  const Because why = because_of_run(was, is, false);
  made.cause = why.cause;
  made.about = why.about;
  made.seeds = 1;
  return made;
}

bool has_worse_end(const Record& was, const Record& is) { return is_bad(is.verdict) && !is_bad(was.verdict); }

}  // namespace plumb::parity::studies::drift
