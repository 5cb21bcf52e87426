/* What a program can rely on that has this library in it: no handler is installed, no process and, before something
 * runs, no thread is started, no variable is read but those that are documented, and what a process has one of stays as
 * it is. This program stands in the way of functions of the C library that change such; run.sh looks for output. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;

static int is_begun = 0; /* libraries of others do what they like when they are loaded */

static void complain(const char* what, const char* name) {
  if (is_begun) fprintf(stderr, "%s %s\n", what, name), ++failures;
}

/* Variables that the library may read, and how those begin that oneTBB, its allocator and HDF5 ask for. */
static const char* const known[] = {"PLUMB_CPU_LEVEL", "PLUMB_DUMP", "TBB_", "INTEL_", "KMP_", "HDF5_"};

char* getenv(const char* name) {
  const size_t length = strlen(name);
  int is_known = 0;
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) is_known |= strncmp(name, known[k], strlen(known[k])) == 0;
  if (!is_known) complain("reads the variable", name);
  for (char** one = environ; *one != NULL; ++one)
    if (strncmp(*one, name, length) == 0 && (*one)[length] == '=') return *one + length + 1;
  return NULL;
}
char* secure_getenv(const char* name) { return getenv(name); }

static int refuse(const char* name) { return complain("calls", name), errno = ENOSYS, -1; }
int sigaction(int number, const struct sigaction* made, struct sigaction* before) {
  (void)number, (void)before;
  return made == NULL ? 0 : refuse("sigaction");
}
sighandler_t signal(int number, sighandler_t handler) { return (void)number, (void)handler, refuse("signal"), SIG_ERR; }
int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  return (void)how, (void)set, (void)before, refuse("sigprocmask");
}
pid_t fork(void) { return refuse("fork"); }
pid_t vfork(void) { return refuse("vfork"); }
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
                char* const argv[], char* const env[]) {
  (void)pid, (void)path, (void)actions, (void)how, (void)argv, (void)env;
  return refuse("posix_spawn"), ENOSYS;
}
int chdir(const char* path) { return complain("moves to", path), -1; }
char* setlocale(int kind, const char* name) {
  (void)kind;
  if (name != NULL) complain("sets the locale", name);
  return NULL;
}
int setenv(const char* name, const char* value, int replaces) {
  return (void)value, (void)replaces, complain("sets the variable", name), -1;
}
int unsetenv(const char* name) { return complain("unsets the variable", name), -1; }
int putenv(char* text) { return complain("sets the variable", text), -1; }

static int entries(const char* folder) {
  int count = 0;
  DIR* const opened = opendir(folder);
  while (opened != NULL && readdir(opened) != NULL) ++count;
  if (opened != NULL) closedir(opened);
  return count;
}
static int threads(void) { return entries("/proc/self/task"); }
static int files(void) { return entries("/proc/self/fd"); }

/* Which signals have a handler, are ignored and are blocked. Numbers 32 and 33 are the C library's own, for threads. */
static void signals(unsigned long long masks[3]) {
  const unsigned long long own = 3ull << 31;
  char line[256];
  FILE* const status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    const char* const names[3] = {"SigCgt:", "SigIgn:", "SigBlk:"};
    for (int k = 0; k < 3; ++k)
      if (strncmp(line, names[k], strlen(names[k])) == 0) masks[k] = strtoull(line + strlen(names[k]), NULL, 16) & ~own;
  }
  if (status != NULL) fclose(status);
}

static int gives_magnitudes(void* user, const plumb_call* call) {
  float y[6];
  plumb_tensor given = call->asked[0];
  const float* const x = (const float*)call->inputs[0].data;
  (void)user;
  for (int k = 0; k < 6; ++k) y[k] = x[k] < 0 ? -x[k] : x[k];
  given.data = y;
  return call->give(call->context, &given);
}

static void show(plumb_result* result, int exit) {
  REQUIRE(plumb_result_exit(result) == exit);
  REQUIRE(strlen(plumb_result_text(result)) > 0 && strlen(plumb_result_json(result)) > 0);
  plumb_text* text = NULL;
  GOOD(plumb_result_explain(result, 0, &text));
  REQUIRE(strlen(plumb_text_get(text)) > 0);
  plumb_text_free(text);
  GOOD(plumb_result_save(result, "abi_guest.h5"));
  REQUIRE(remove("abi_guest.h5") == 0);
  plumb_result_free(result);
}

/* Reads, judges a function, results and our own executor, and asks for what there is not. */
static void use(const char* file, const char* onnx) {
  static float numbers[6] = {1, -2, 3, -4, 5, -6}, made[6];
  const int64_t shape[2] = {2, 3};
  plumb_tensor x = {sizeof x, PLUMB_F32, 2, 0, shape, NULL, numbers, "x0"}, y = x;
  plumb_graph *one = NULL, *graph = NULL, *model = NULL;
  plumb_executor *cpu = NULL, *called = NULL;
  plumb_executable* executable = NULL;
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, NULL, gives_magnitudes, NULL};
  plumb_result* result = NULL;
  const int at_first = threads();
  y.data = made, y.name = NULL;
  GOOD(plumb_graph_of_op("unary", "{\"function\": \"abs\"}", &x, 1, &one));
  GOOD(plumb_graph_read(file, NULL, &graph));
  GOOD(plumb_graph_read(onnx, NULL, &model));
  GOOD(plumb_candidate("cpu", NULL, &cpu));
  GOOD(plumb_callbacks(&callback, &called));
  GOOD(plumb_compile(cpu, one, NULL, 0, NULL, 0, &executable));
  REQUIRE(threads() == at_first);
  GOOD(plumb_run(executable, &x, 1, &y, 1));
  GOOD(plumb_check("unary", "{\"function\": \"abs\"}", &x, 1, &y, 1, NULL, &result));
  show(result, 0);
  GOOD(plumb_check("unary", "{\"function\": \"abs\"}", &x, 1, &x, 1, NULL, &result));
  show(result, 1);
  GOOD(plumb_verify(one, NULL, 0, called, NULL, &result));
  show(result, 0);
  GOOD(plumb_verify(graph, NULL, 0, cpu, NULL, &result));
  show(result, 0);
  plumb_error* const error = plumb_graph_read("no_such_file.json", NULL, &graph);
  REQUIRE(error != NULL);
  plumb_error_free(error);
  plumb_executable_free(executable);
  plumb_executor_free(called), plumb_executor_free(cpu);
  plumb_graph_free(model), plumb_graph_free(graph), plumb_graph_free(one);
}

int main(int count, char** words) {
  unsigned long long before[3] = {0}, after[3] = {0};
  if (count != 3) return 2;
  const mode_t mask = umask(022);
  umask(mask);
  const int open = files();
  signals(before);
  is_begun = 1;
  use(words[1], words[2]);
  is_begun = 0;
  signals(after);
  REQUIRE(memcmp(before, after, sizeof before) == 0);
  REQUIRE(files() == open);
  REQUIRE(umask(mask) == mask);
  return failures != 0;
}
