/* Every function of plumbline.h with what it must refuse: each time an error that names the argument, and outputs that
 * nothing was written to; those of buffers and contexts are in residency_misuse.c. In C99, as a user has it. */
#include "expect.h"

static const int64_t shape[2] = {2, 3}, negative[2] = {2, -3}, huge[2] = {(int64_t)1 << 40, (int64_t)1 << 40};
static float numbers[6] = {1, 2, 3, 4, 5, 6};

static plumb_tensor tensor(const char* name) {
  plumb_tensor made = {sizeof made, PLUMB_F32, 2, 0, NULL, NULL, NULL, NULL};
  made.shape = shape;
  made.data = numbers;
  made.name = name;
  return made;
}

static plumb_error* check(plumb_tensor in) {
  plumb_tensor got = tensor(NULL);
  plumb_result* result = NULL;
  plumb_error* error = plumb_check("softmax", "{\"axis\": -1}", &in, 1, &got, 1, NULL, &result);
  REQUIRE((error == NULL) == (result != NULL));
  plumb_result_free(result);
  return error;
}

static void tensors(void) {
  plumb_tensor x;
#define WITH(field, value, words) x = tensor(NULL), x.field = value, REFUSED(check(x), words)
  WITH(dtype, 0, "inputs[0]: there is no dtype 0");
  WITH(dtype, 15, "inputs[0]: there is no dtype 15");
  WITH(rank, -1, "inputs[0]: rank is -1");
  WITH(rank, 9, "inputs[0]: rank is 9");
  WITH(device, 1, "inputs[0]: device is 1");
  WITH(shape, NULL, "inputs[0]: shape is NULL");
  WITH(shape, negative, "inputs[0]: ");
  WITH(shape, huge, "inputs[0]: ");
  WITH(data, NULL, "inputs[0]: data is NULL");
  WITH(struct_size, 0, "inputs: struct_size is 0");
  WITH(struct_size, 1000000, "inputs: struct_size is 1000000");
  x = tensor(NULL), x.dtype = PLUMB_BOOL;
  ((char*)numbers)[0] = 7;
  REFUSED(check(x), "inputs[0]: has a bool that is 7");
  numbers[0] = 1;
}

static void checks(void) {
  plumb_tensor x = tensor(NULL);
  plumb_result* result = NULL;
  plumb_check_options options = {0, 0, 0, 0, NULL, NULL, NULL};
  REFUSED(plumb_check(NULL, NULL, &x, 1, &x, 1, NULL, &result), "op: is NULL");
  REFUSED(plumb_check("sofmax", NULL, &x, 1, &x, 1, NULL, &result), "op: there is no op 'sofmax'");
  REFUSED(plumb_check("softmax", "[]", &x, 1, &x, 1, NULL, &result), "attributes: is a JSON object");
  REFUSED(plumb_check("softmax", "{\"axs\": 1}", &x, 1, &x, 1, NULL, &result), "attribute: softmax has no attribute");
  REFUSED(plumb_check("softmax", "{\"axis\": 7}", &x, 1, &x, 1, NULL, &result), "axis 7");
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", NULL, 1, &x, 1, NULL, &result), "inputs: is NULL");
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, NULL, 1, NULL, &result), "got: is NULL");
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, NULL, NULL), "result: is NULL");
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result), "options: struct_size is 0");
  options.struct_size = sizeof options, options.threads = -1;
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result), "options.threads: is -1");
  options.threads = 0, options.sums = "[1,";
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result), "options.sums: ");
  options.sums = NULL, options.policy = "no_such_policy.toml";
  REFUSED(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result), "no_such_policy.toml");
  REQUIRE(result == NULL);
}

static int stops(void* user, const char* what, size_t done, size_t steps) {
  (void)user, (void)what, (void)done, (void)steps;
  return 1;
}

/* Candidates that fail in their own ways are verdicts. */
static int says_nothing(void* user, const plumb_call* call) { return (void)user, (void)call, 5; }
static int gives_nonsense(void* user, const plumb_call* call) {
  plumb_tensor one = tensor("y");
  (void)user;
  one.dtype = 99;
  return call->give(call->context, &one);
}
static int refuses(void* user, const plumb_call* call) {
  return (void)user, call->fail(call->context, PLUMB_ERROR_UNSUPPORTED, "not this shape");
}

static void ends(const plumb_graph* graph, int (*run)(void*, const plumb_call*), int exit, const char* words) {
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, NULL, NULL, NULL};
  plumb_executor* executor = NULL;
  plumb_result* result = NULL;
  callback.run = run;
  GOOD(plumb_callbacks(&callback, &executor));
  GOOD(plumb_verify(graph, NULL, 0, executor, NULL, &result));
  if (plumb_result_exit(result) != exit || strstr(plumb_result_message(result), words) == NULL) {
    fprintf(stderr, "wanted %d and '%s', got %d and '%s'\n", exit, words, plumb_result_exit(result),
            plumb_result_message(result));
    ++failures;
  }
  plumb_result_free(result);
  plumb_executor_free(executor);
}

static void verdicts(void) {
  plumb_tensor x = tensor("x0"), row_of_none;
  plumb_graph* graph = NULL;
  plumb_executor* cpu = NULL;
  plumb_result* result = NULL;
  plumb_row row = {0};
  plumb_verify_options options;
  memset(&options, 0, sizeof options);
  GOOD(plumb_graph_of_op("softmax", "{\"axis\": -1}", &x, 1, &graph));
  GOOD(plumb_candidate("cpu", NULL, &cpu));
  REFUSED(plumb_verify(NULL, &x, 1, cpu, NULL, &result), "graph: is NULL");
  REFUSED(plumb_verify(graph, &x, 1, NULL, NULL, &result), "candidate: is NULL");
  REFUSED(plumb_verify(graph, &x, 1, cpu, &options, &result), "options: struct_size is 0");
  options.struct_size = sizeof options;
  options.mode = "sideways";
  REFUSED(plumb_verify(graph, &x, 1, cpu, &options, &result), "mode: is attribute");
  options.mode = NULL, options.fill = "none";
  REFUSED(plumb_verify(graph, &x, 1, cpu, &options, &result), "options.fill is graph");
  options.fill = NULL, options.dtype = PLUMB_F64;
  REFUSED(plumb_verify(graph, &x, 1, cpu, &options, &result), "options.dtype: is f16 or bf16");
  options.dtype = 0, options.min_verified_work = 2;
  REFUSED(plumb_verify(graph, &x, 1, cpu, &options, &result), "options.min_verified_work");
  options.min_verified_work = 0, options.progress = stops;
  plumb_error* error = plumb_verify(graph, &x, 1, cpu, &options, &result);
  REQUIRE(plumb_error_kind(error) == PLUMB_ERROR_STOPPED);
  plumb_error_free(error);
  x.name = NULL;
  REFUSED(plumb_verify(graph, &x, 1, cpu, NULL, &result), "inputs[0].name: is NULL");
  REQUIRE(result == NULL);
  x.name = "x0";
  GOOD(plumb_verify(graph, &x, 1, cpu, NULL, &result));
  REQUIRE(plumb_result_exit(result) == 0 && plumb_result_rows(result) == 1);
  REFUSED(plumb_result_row(result, 1, &row), "k: is 1");
  REFUSED(plumb_result_row(result, 0, &row), "row: struct_size is 0");
  REFUSED(plumb_result_row(NULL, 0, &row), "result: is NULL");
  row.struct_size = 8; /* an older header's: nothing behind that is written */
  GOOD(plumb_result_row(result, 0, &row));
  REQUIRE(row.group == 1 && row.label == NULL);
  row_of_none = tensor(NULL);
  REFUSED(plumb_graph_value(graph, 9, 0, &row_of_none), "which: there is no kind of values 9");
  REFUSED(plumb_graph_value(graph, PLUMB_INPUTS, 3, &row_of_none), "k: is 3");
  ends(graph, says_nothing, 3, "did not say why");
  ends(graph, gives_nonsense, 1, "gave 'y': there is no dtype 99");
  ends(graph, refuses, 77, "not this shape");
  plumb_result_free(result);
  plumb_executor_free(cpu);
  plumb_graph_free(graph);
}

static int told; /* how often the log was told of an expired rule */

static void hears(void* user, const char* text) {
  REQUIRE(strcmp((const char*)user, "mine") == 0);
  told += strstr(text, "expired") != NULL;
}

static void write_file(const char* path, const char* text) {
  FILE* const file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static int begins_with(const char* path, const char* text) {
  char bytes[16] = {0};
  FILE* const file = fopen(path, "r");
  if (file == NULL) return 0;
  const size_t count = fread(bytes, 1, strlen(text), file);
  fclose(file);
  return count == strlen(text) && memcmp(bytes, text, count) == 0;
}

/* What is kept and said of a result. */
static void kept(void) {
  static const char record[] = "abi_misuse.h5", other[] = "abi_misuse.txt", policy[] = "abi_misuse.toml";
  plumb_tensor x = tensor(NULL);
  plumb_result* result = NULL;
  plumb_text* text = NULL;
  plumb_check_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options, options.policy = policy;
  write_file(policy,
             "schema = \"plumb-policy/1\"\n[[rule]]\nid = \"old\"\nmatch = { op = \"matmul\" }\nverdict = \"xfail\"\n"
             "reason = \"none\"\nexpires = 2001-02-03\n");
  plumb_set_log(hears, "mine");
  GOOD(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result));
  REQUIRE(told == 1 && plumb_result_exit(result) == 1);
  REFUSED(plumb_result_explain(NULL, 0, &text), "result: is NULL");
  REFUSED(plumb_result_explain(result, 1, &text), "k: is 1");
  REFUSED(plumb_result_explain(result, 0, NULL), "text: is NULL");
  REQUIRE(text == NULL);
  GOOD(plumb_result_explain(result, 0, &text));
  REQUIRE(strstr(plumb_text_get(text), "old") != NULL && strstr(plumb_text_get(text), "failed") != NULL);
  plumb_text_free(text);
  REFUSED(plumb_result_save(NULL, record), "result: is NULL");
  REFUSED(plumb_result_save(result, NULL), "path: is NULL");
  REFUSED(plumb_result_save(result, "no/such/folder.h5"), "no/such/folder.h5");
  write_file(other, "mine");
  REFUSED(plumb_result_save(result, other), other);
  REQUIRE(begins_with(other, "mine"));
  for (int k = 0; k < 2; ++k) GOOD(plumb_result_save(result, record)); /* in place of itself, too */
  REQUIRE(begins_with(record, "\x89HDF"));
  plumb_result_free(result);
  plumb_set_log(NULL, NULL);
  GOOD(plumb_check("softmax", "{\"axis\": -1}", &x, 1, &x, 1, &options, &result));
  REQUIRE(told == 1);
  plumb_result_free(result);
  remove(record), remove(other), remove(policy);
}

static void knobs_and_probes(void) {
  plumb_setting setting = {0, 0, "threads", "two"};
  plumb_executor *cpu = NULL, *other = NULL;
  plumb_devices* devices = NULL;
  plumb_device device = {0, 0, NULL, NULL, NULL, NULL, 0};
  plumb_text* profile = NULL;
  plumb_probe_options options = {sizeof options, 0, stops, NULL};
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, NULL, refuses, NULL};
  plumb_error* error = NULL;
  REFUSED(plumb_cpu(NULL, 1, &cpu), "settings: is NULL");
  REFUSED(plumb_cpu(&setting, 1, &cpu), "settings: struct_size is 0");
  setting.struct_size = sizeof setting;
  REFUSED(plumb_cpu(&setting, 1, &cpu), "settings[0]: threads is a whole number from 0 to 4096, got 'two'");
  REFUSED(plumb_cpu(&setting, 1, NULL), "executor: is NULL");
  setting.name = "tile";
  REFUSED(plumb_cpu(&setting, 1, &cpu), "settings[0]: the CPU executor has no knob 'tile'");
  setting.value = NULL;
  REFUSED(plumb_vulkan(&setting, 1, &cpu), "settings[0].value: is NULL");
  setting.name = "tilt", setting.value = "7";
  REFUSED(plumb_vulkan(&setting, 1, &cpu), "tilt");
  REQUIRE(cpu == NULL);
  setting.name = "threads", setting.value = "1";
  GOOD(plumb_cpu(&setting, 1, &cpu));
  REFUSED(plumb_devices_list(NULL), "devices: is NULL");
  GOOD(plumb_devices_list(&devices));
  REFUSED(plumb_devices_device(devices, 1000, &device), "k: is 1000");
  REFUSED(plumb_devices_device(NULL, 0, &device), "devices: is NULL");
  plumb_devices_free(devices);
  REFUSED(plumb_probe(NULL, NULL, NULL, &profile), "executor: is NULL");
  REFUSED(plumb_probe(cpu, NULL, NULL, NULL), "profile: is NULL");
  error = plumb_probe(cpu, NULL, &options, &profile);
  REQUIRE(plumb_error_kind(error) == PLUMB_ERROR_STOPPED && profile == NULL);
  plumb_error_free(error);
  callback.storage = "any";
  REFUSED(plumb_callbacks(&callback, &other), "storage: is graph or observed, got 'any'");
  callback.storage = "observed";
  GOOD(plumb_callbacks(&callback, &other));
  REFUSED(plumb_probe(other, NULL, NULL, &profile), "a callback computes one graph");
  REQUIRE(plumb_text_get(NULL)[0] == '\0' && plumb_devices_count(NULL) == 0);
  plumb_executor_free(other);
  plumb_executor_free(cpu);
}

static void several(void) {
  plumb_tensor x = tensor("x0");
  plumb_graph* graph = NULL;
  plumb_executor* candidates[2] = {NULL, NULL};
  plumb_result* results[2] = {NULL, NULL};
  plumb_verify_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  GOOD(plumb_graph_of_op("softmax", "{\"axis\": -1}", &x, 1, &graph));
  GOOD(plumb_cpu(NULL, 0, &candidates[0]));
  REFUSED(plumb_verify_each(graph, &x, 1, candidates, 0, NULL, results), "candidates: there are none");
  REFUSED(plumb_verify_each(graph, &x, 1, candidates, 2, NULL, results), "candidates[1]: is NULL");
  REFUSED(plumb_verify_each(graph, &x, 1, candidates, 1, NULL, NULL), "results: is NULL");
  options.profile = "no_such_profile.toml";
  REFUSED(plumb_verify_each(graph, &x, 1, candidates, 1, &options, results), "no_such_profile.toml");
  REQUIRE(results[0] == NULL);
  GOOD(plumb_callbacks(&(plumb_callback){sizeof(plumb_callback), 0, NULL, NULL, NULL, refuses, NULL}, &candidates[1]));
  GOOD(plumb_verify_each(graph, &x, 1, candidates, 2, NULL, results));
  REQUIRE(plumb_result_exit(results[0]) == 0 && plumb_result_exit(results[1]) == 77);
  for (int k = 0; k < 2; ++k) plumb_result_free(results[k]), plumb_executor_free(candidates[k]);
  plumb_graph_free(graph);
}

static void runs(void) {
  plumb_tensor x = tensor("x0"), y = tensor(NULL);
  float made[6];
  const int64_t other[2] = {3, 2}, columns[2] = {4, 8};
  const char* wanted[1] = {"z"};
  plumb_graph* graph = NULL;
  plumb_executor* cpu = NULL;
  plumb_executable* executable = NULL;
  uint64_t bytes = 0;
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, NULL, NULL, NULL};
  y.data = made;
  GOOD(plumb_graph_of_op("unary", "{\"function\": \"abs\"}", &x, 1, &graph));
  REFUSED(plumb_candidate(NULL, NULL, &cpu), "spec: is NULL");
  REFUSED(plumb_candidate("nobody:x", NULL, &cpu), "nobody");
  REFUSED(plumb_callbacks(NULL, &cpu), "callback: is NULL");
  REFUSED(plumb_callbacks(&callback, &cpu), "callback.run: is NULL");
  REFUSED(plumb_graph_read("nowhere.json", NULL, &graph), "nowhere.json");
  REFUSED(plumb_graph_parse("{", NULL, &graph), "line 1");
  GOOD(plumb_candidate("cpu", NULL, &cpu));
  REFUSED(plumb_compile(cpu, graph, NULL, 0, wanted, 1, &executable), "wanted: the graph computes no value 'z'");
  REFUSED(plumb_compile(cpu, graph, &x, 1, NULL, 0, &executable), "params: the graph has no param 'x0'");
  GOOD(plumb_compile(cpu, graph, NULL, 0, NULL, 0, &executable));
  plumb_executor_free(cpu); /* what was compiled keeps what it needs */
  plumb_graph_free(graph);
  REFUSED(plumb_run(executable, &x, 1, &y, 2), "results: 2 are given, and 1 are wanted");
  y.shape = other;
  REFUSED(plumb_run(executable, &x, 1, &y, 1), "results[0]: is f32[3, 2], and the value f32[2, 3]");
  y.shape = shape, y.strides = columns;
  numbers[1] = -2;
  GOOD(plumb_run(executable, &x, 1, &y, 1));
  REFUSED(plumb_executable_bytes(NULL, &bytes), "executable: is NULL");
  REFUSED(plumb_executable_bytes(executable, NULL), "bytes: is NULL");
  GOOD(plumb_executable_bytes(executable, &bytes));
  REQUIRE(made[0] == 1 && made[1] == 4 && made[2] == 2 && made[3] == 5 && made[4] == 3 && made[5] == 6);
  numbers[1] = 2;
  plumb_executable_free(executable);
}

static int fails(plumb_op_cpu_args* args) { return args->fail(args->context, "has no licence"); }

static void ops(void) {
  plumb_op_v1 op = {0};
  plumb_tensor x = tensor("x0");
  plumb_graph* graph = NULL;
  plumb_executor* cpu = NULL;
  plumb_executable* executable = NULL;
  REFUSED(plumb_register_op(NULL), "op: is NULL");
  REFUSED(plumb_register_op(&op), "op: struct_size is 0");
  op.struct_size = 1000000;
  REFUSED(plumb_register_op(&op), "op: struct_size is 1000000");
  op.struct_size = sizeof op;
  REFUSED(plumb_register_op(&op), "op.name: is NULL");
  op.name = "abi.fails", op.flags = 1;
  REFUSED(plumb_register_op(&op), "op.flags: is 1");
  op.flags = 0;
  REFUSED(plumb_register_op(&op), "op.schema: is NULL");
  op.schema = "{\"inputs\": [{\"name\": \"x\"}], \"outputs\": [{\"name\": \"y\", \"type\": \"as x\"}]}";
  REFUSED(plumb_register_op(&op), "'abi.fails' has neither a body nor cpu");
  op.cpu = fails;
  REFUSED(plumb_register_op(&op), "bounds must");
  op.schema =
      "{\"inputs\": [{\"name\": \"x\"}], \"outputs\": [{\"name\": \"y\", \"type\": \"as x\"}], \"error_class\": "
      "\"exact\"}";
  op.name = "fails";
  REFUSED(plumb_register_op(&op), "'fails' has no dot");
  op.name = "abi.fails";
  GOOD(plumb_register_op(&op));
  REFUSED(plumb_register_op(&op), "'abi.fails' is registered already");
  GOOD(plumb_graph_of_op("abi.fails", NULL, &x, 1, &graph));
  GOOD(plumb_candidate("cpu", NULL, &cpu));
  GOOD(plumb_compile(cpu, graph, NULL, 0, NULL, 0, &executable));
  REFUSED(plumb_run(executable, &x, 1, &x, 1), "abi.fails: cpu has no licence");
  plumb_executable_free(executable);
  plumb_executor_free(cpu);
  plumb_graph_free(graph);
}

/* Pages of memory that the process has; 0 where sanitizers keep what is freed, and find what is not themselves. */
static long pages(void) {
  long all = 0, held = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &held) != 2) abort();
  fclose(file);
  return getenv("ASAN_OPTIONS") != NULL ? 0 : held;
}

int main(void) {
  REQUIRE(plumb_abi_version() == PLUMB_ABI);
  REQUIRE(strlen(plumb_version()) >= 5 && strlen(plumb_licence()) >= 3);
  tensors();
  checks();
  verdicts();
  kept();
  knobs_and_probes();
  several();
  runs();
  ops();
  plumb_error_free(NULL), plumb_graph_free(NULL), plumb_feeds_free(NULL), plumb_executor_free(NULL);
  plumb_executable_free(NULL), plumb_result_free(NULL), plumb_devices_free(NULL), plumb_text_free(NULL);
  long early = 0;
  for (int k = 0; k < 10000; ++k) { /* nothing stays */
    if (k == 2000) early = pages();
    plumb_tensor x = tensor("x0");
    plumb_graph* graph = NULL;
    plumb_feeds* feeds = NULL;
    GOOD(plumb_graph_of_op("softmax", "{\"axis\": -1}", &x, 1, &graph));
    GOOD(plumb_graph_feeds(graph, 1, &feeds));
    REQUIRE(plumb_feeds_count(feeds) == 1);
    plumb_feeds_free(feeds);
    plumb_graph_free(graph);
  }
  REQUIRE(pages() - early < 256);
  printf("%d failures\n", failures);
  return failures != 0;
}
