// Calls with every tensor at the edge of a page, in copies of this process.
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>

#include "ir/files/descriptor.hpp"
#include "library/host/guarded_memory.hpp"
#include "library/host/judged_call.hpp"

namespace plumb::library::host {
namespace {

/// Sent by a copy of this process before it ends; `words` is there where the function says that it failed.
struct Word {
  enum class Kind { faulted, refused } kind = Kind::faulted;
  std::uintptr_t address = 0;
  bool writes = false, knows = false;
  char words[256] = {};
};

int word_pipe = -1;  // for the handler, which has no other way to know

void say(const Word& word) {
  if (::write(word_pipe, &word, sizeof word) < 0) _exit(3);
}

void on_fault(int number, siginfo_t* info, void* context) {
  Word word;
  word.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
#if defined(__x86_64__)
  word.writes = (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
  word.knows = true;
#else
  (void)context;
#endif
  say(word);
  _exit(128 + number);
}

/// A call on other inputs, of which nothing is looked at: what a function keeps of its first call, in a file for one,
/// is not of the inputs that it is judged by.
class OtherCall {
 public:
  explicit OtherCall(const Call& call) : call_(call) {
    for (const NamedTensor& x : other_inputs(call.operands)) add(x.tensor.type(), x.tensor.view());
    for (const ir::TensorType& type : call.outputs) add(type, std::nullopt);
  }

  void make() const {
    try {
      call_.invoke(addresses_);
    } catch (const std::exception&) {  // it may refuse these inputs
    }
  }

 private:
  void add(const ir::TensorType& type, std::optional<ir::TensorView> content) {
    memory_.emplace_back(type, content, Pattern::nan, Placement::guard_zones, call_.align);
    addresses_.push_back(memory_.back().data());
  }

  const Call& call_;
  std::vector<GuardedMemory> memory_;
  std::vector<void*> addresses_;
};

/// The child's part. A function that used up its stack has none left for a handler of faults.
[[noreturn]] void call_in_child(const Call& call, const OtherCall& before, const std::vector<void*>& addresses,
                                int pipe) {
  word_pipe = pipe;
  static char stack[65536];
  const stack_t other = {stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  before.make();
  try {
    call.invoke(addresses);
  } catch (const std::exception& error) {
    Word word{.kind = Word::Kind::refused};
    std::strncpy(word.words, error.what(), sizeof word.words - 1);
    say(word);
  }
  _exit(0);
}

/// Does one call, and one before it, in a copy of this process; nothing where it ended without a word.
std::optional<Word> word_of(const Call& call, const OtherCall& before, const std::vector<void*>& addresses) {
  int ends[2];
  ir::require(pipe(ends) == 0, "there is no room for a pipe");
  const ir::files::Descriptor reading(ends[0]);
  ir::files::Descriptor writing(ends[1]);
  const pid_t child = fork();
  ir::require(child >= 0, "there is no room for a process");
  if (child == 0) call_in_child(call, before, addresses, writing.number());
  writing.close();
  Word word;
  std::size_t got = 0;
  while (got < sizeof word) {
    const ssize_t n = ::read(reading.number(), reinterpret_cast<char*>(&word) + got, sizeof word - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  word.words[sizeof word.words - 1] = '\0';
  if (got != sizeof word) return std::nullopt;
  return word;
}

}  // namespace

AtEdges at_edges(const Call& call) {
  AtEdges found;
  const OtherCall before(call);
  for (const Placement placement : {Placement::end_of_page, Placement::start_of_page}) {
    std::vector<GuardedMemory> memory;
    for (const NamedTensor& x : call.operands)
      memory.emplace_back(x.tensor.type(), x.tensor.view(), Pattern::nan, placement, call.align);
    for (const ir::TensorType& type : call.outputs)
      memory.emplace_back(type, std::nullopt, Pattern::nan, placement, call.align);
    std::vector<void*> addresses;
    for (const GuardedMemory& m : memory) addresses.push_back(m.data());
    const auto word = word_of(call, before, addresses);
    if (!word) continue;
    if (word->kind == Word::Kind::refused) {
      found.error = ir::cat(word->words, " (where its tensors are at the ",
                            placement == Placement::end_of_page ? "end" : "start", " of a page)");
      continue;
    }
    for (std::size_t i = 0; i < memory.size() && found.misdeed.empty(); ++i) {
      const std::string where = memory[i].place_of(word->address);
      if (where.empty()) continue;
      const bool is_operand = i < call.operands.size();
      found.misdeed = ir::cat(!word->knows   ? "reads or writes "
                              : word->writes ? "writes "
                                             : "reads ",
                              where, is_operand ? call.operands[i].name : call.output_names[i - call.operands.size()]);
    }
    if (!found.misdeed.empty()) return found;
  }
  return found;
}

}  // namespace plumb::library::host
