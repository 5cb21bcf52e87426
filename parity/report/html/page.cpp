// Puts a page together: what stands in it without scripts, the packed data, and the policy that lets nothing else run.
#include "parity/report/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/formats/gzip.hpp"
#include "ir/formats/tensor_json.hpp"
#include "parity/core/sha256.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/document.hpp"
#include "parity/report/html/page_data.hpp"
#include "parity/report/html/page_files.hpp"

namespace plumb::parity::report::html {
namespace {

constexpr std::size_t tests_shown = 200, few_outputs = 5'000, outputs_with_details = 100'000;
constexpr std::size_t bytes_of_few = 2'000'000, most_bytes = 5'000'000;

std::string markup(std::string_view text) {
  std::string safe;
  for (const char c : core::terminal::printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// "'sha256-...'", by which a Content-Security-Policy knows a script or a style.
std::string source_hash(std::string_view text) {
  const std::string hex = core::sha256(text);
  std::vector<std::byte> digest;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    digest.push_back(static_cast<std::byte>(std::stoi(hex.substr(at, 2), nullptr, 16)));
  return fmt::format("'sha256-{}'", ir::formats::base64_of(digest));
}

std::string head(const std::string& title) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {}; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n",
      source_hash(page_script), source_hash(page_style), title, page_style);
}

std::string summary(std::span<const Suite> suites, const RunFacts& facts) {
  std::string text =
      "<section id=\"summary\" aria-labelledby=\"h-summary\"><h2 id=\"h-summary\">Summary</h2>\n"
      "<table><caption>cases by verdict</caption>\n<thead><tr><th scope=\"col\">verdict</th>"
      "<th scope=\"col\">cases</th></tr></thead>\n<tbody>\n";
  for (const auto& [verdict, cases] : cases_by_verdict(suites))
    text += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td></tr>\n", markup(verdict), cases);
  text += "</tbody></table>\n";
  if (!facts.device.empty()) text += fmt::format("<p>Device: {}, {}</p>\n", markup(facts.device), markup(facts.driver));
  return text + "</section>\n";
}

/// The tests that did not pass, the worst first, for those who run no scripts.
std::string plain(std::span<const Suite> suites) {
  const auto told = worst_first(suites, [](const Test& test) { return test.end != TestEnd::passed; });
  const std::size_t shown = std::min(told.size(), tests_shown);
  std::string text =
      "<section id=\"plain\" aria-labelledby=\"h-plain\"><h2 id=\"h-plain\">Not passed</h2>\n"
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"what did not pass\">\n<table>\n<thead><tr>";
  for (const char* const title : {"test", "op", "dtype", "kernel", "ratio", "verdict", "why", "command"})
    text += fmt::format("<th scope=\"col\">{}</th>", title);
  text += "</tr></thead>\n<tbody>\n";
  for (const Told& one : std::span(told).first(shown)) {
    const Test& test = *one.test;
    text += fmt::format("<tr><th scope=\"row\">{} {}</th>", markup(test.group), markup(test.name));
    const std::string ratio = std::isnan(test.ratio) ? "" : fmt::format("{:.3g}", test.ratio);
    for (const std::string& cell : {test.op, property(test, "dtype"), property(test, "kernel"), ratio, test.type,
                                    reason_of(test), std::string(repro_of(test))})
      text += fmt::format("<td>{}</td>", markup(cell));
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (shown < told.size()) text += fmt::format("<p>and {} more, which are left out here</p>\n", told.size() - shown);
  return text + "</section>\n";
}

/// The parts that the script fills.
std::string empty_parts() {
  std::string text = "<section id=\"node\" aria-labelledby=\"node-title\" hidden></section>\n";
  const std::pair<const char*, const char*> parts[] = {{"nodes", "Nodes"},
                                                       {"cases", "Cases"},
                                                       {"graph", "Graph"},
                                                       {"time", "Time"},
                                                       {"environment", "Environment"},
                                                       {"policy", "Policy"},
                                                       {"about", "About this page"}};
  for (const auto& [id, title] : parts)
    text += fmt::format("<section id=\"{0}\" aria-labelledby=\"h-{0}\" hidden><h2 id=\"h-{0}\">{1}</h2></section>\n",
                        id, title);
  return text;
}

std::string page_with(const std::string& begin, const std::string& data) {
  const std::string packed = ir::formats::gzip(data);
  return fmt::format("{}<script id=\"data\" type=\"text/plain\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
                     begin, ir::formats::base64_of(std::as_bytes(std::span(packed))), page_script);
}

}  // namespace

std::string to_page(const Cases& cases, std::span<const Suite> suites, const RunFacts& facts) {
  const std::string title = "plumb: " + headline_of(worst_first(suites, fails), facts, markup);
  const std::string begin =
      head(title) +
      fmt::format(
          "<body>\n<header><h1>{}</h1></header>\n<nav id=\"parts\" aria-label=\"parts of the page\" hidden></nav>\n"
          "<main>\n",
          title) +
      summary(suites, facts) + plain(suites) + empty_parts() + "</main>\n";
  const std::size_t outputs = count_outputs(cases), limit = outputs <= few_outputs ? bytes_of_few : most_bytes;
  std::string page;
  for (const Kept kept : all_kept) {
    if (kept < Kept::no_passed && outputs > outputs_with_details) continue;
    page = page_with(begin, page_data(cases, facts, kept));
    if (page.size() <= limit) break;
  }
  return page;
}

}  // namespace plumb::parity::report::html
