// Commands taken apart, and what programs say put into messages.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/files/process.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::files {
namespace {

/// Takes a command apart, letter by letter.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> words() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == ' ' || c == '\t' || c == '\n')
        end_word();
      else if (c == '\'')
        single_quoted();
      else if (c == '"')
        double_quoted();
      else if (c == '\\')
        escaped();
      else
        take(c);
    }
    end_word();
    return std::move(words_);
  }

 private:
  void take(char c) {
    word_ += c;
    has_word_ = true;
  }
  void end_word() {
    if (has_word_) words_.push_back(std::move(word_));
    word_.clear();
    has_word_ = false;
  }
  void escaped() {
    require(at_ < text_.size(), "ends with a backslash that has nothing behind it");
    const char c = text_[at_++];
    if (c != '\n') take(c);  // a line that goes on
  }
  void single_quoted() {
    const auto end = text_.find('\'', at_);
    require(end != text_.npos, "has a ' without a second one");
    word_ += text_.substr(at_, end - at_);
    has_word_ = true;
    at_ = end + 1;
  }
  void double_quoted() {
    constexpr std::string_view meant = "$`\"\\";
    has_word_ = true;
    while (true) {
      require(at_ < text_.size(), "has a \" without a second one");
      const char c = text_[at_++];
      if (c == '"') return;
      const char next = c == '\\' && at_ < text_.size() ? text_[at_] : '\0';
      if (next == '\n') {
        ++at_;
      } else if (next != '\0' && meant.find(next) != meant.npos) {
        word_ += next;
        ++at_;
      } else {
        word_ += c;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool has_word_ = false;
};

}  // namespace

std::vector<std::string> split_words(std::string_view command) {
  require(command.find('\0') == command.npos, "has a NUL character");
  return Splitter(command).words();
}

std::string last_lines(std::string_view text, std::size_t most) {
  constexpr std::size_t longest_line = 200;
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  std::vector<std::string> lines;
  while (lines.size() < most && !text.empty()) {
    const auto end = text.rfind('\n');
    const auto begin = end == text.npos ? 0 : end + 1;
    std::string_view line = text.substr(begin);
    while (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(raw::shown(line, longest_line));
    text = text.substr(0, begin == 0 ? 0 : end);
  }
  std::string all;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!all.empty()) all += '\n';
    all += *line;
  }
  return all;
}

}  // namespace plumb::ir::files
