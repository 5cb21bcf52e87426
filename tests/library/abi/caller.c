/* A program that rounds upward and has subnormal numbers flushed gets the bits and verdicts that any other gets, and
 * its own environment back. Code of its own, which it passes in, is called in that environment. The same holds where
 * its locale, of the variable LC_ALL, writes decimals with a comma. In C99, as a user has it. */
#include <fenv.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "expect.h"

static int rounding = FE_TONEAREST; /* how this program rounds; it flushes subnormal numbers unless to nearest */

static const unsigned flushed = 0x8040; /* FTZ and DAZ of MXCSR */

static void begin(int mode) {
  rounding = mode;
  fesetround(mode);
#if defined(__x86_64__)
  _mm_setcsr(mode == FE_TONEAREST ? _mm_getcsr() & ~flushed : _mm_getcsr() | flushed);
#endif
}

/* Whether the environment is what this program made it. */
static int is_own(void) {
#if defined(__x86_64__)
  if ((_mm_getcsr() & flushed) != (rounding == FE_TONEAREST ? 0 : flushed)) return 0;
#endif
  return fegetround() == rounding;
}
#define DONE(call) (GOOD(call), REQUIRE(is_own()))

/* All that came out of the library, one part after the other. */
typedef struct part {
  const char* name;
  size_t begin, end;
} part;
typedef struct record {
  unsigned char bytes[4 << 20];
  part parts[64];
  size_t size, count;
} record;
static record usual, other;
static record* kept = &usual;

static void keep(const char* name, const void* bytes, size_t size) {
  part* made = &kept->parts[kept->count++];
  made->name = name, made->begin = kept->size, made->end = kept->size + size;
  if (kept->count >= sizeof kept->parts / sizeof *kept->parts || made->end > sizeof kept->bytes) abort();
  memcpy(kept->bytes + kept->size, bytes, size);
  kept->size = made->end;
}

static void keep_result(const char* name, plumb_result* result) {
  for (size_t k = 0; k < plumb_result_rows(result); ++k) {
    plumb_row row = {0};
    row.struct_size = sizeof row;
    DONE(plumb_result_row(result, k, &row));
    keep(name, row.verdict, strlen(row.verdict));
    keep(name, row.why, strlen(row.why)); /* decimals are rounded, too */
    const double numbers[] = {row.error, row.ratio, row.allowed, row.ulp, row.got, row.truth};
    keep(name, numbers, sizeof numbers);
  }
  const char* const json = plumb_result_json(result);
  const char* const ratio = strstr(json, "\"ratio\": ");
  REQUIRE(ratio != NULL && is_own());
  if (ratio != NULL) keep(name, ratio, strcspn(ratio, "\n"));
  plumb_result_free(result);
}

/* Sums that threads share, exponentials, and numbers that are subnormal or have no short decimals. */
enum { rows = 64, inner = 3000, columns = 16, few = 6 };
static const char* const model =
    "{\"format\": \"plumb.graph/1\", \"inputs\": {\"x\": {\"type\": \"f32[64, 3000]\"}, \"few\": {\"type\": "
    "\"f32[6]\", "
    "\"values\": [0.1, 0.3, 1e-39, 3e-45, 16777217, -0.7]}}, \"params\": {\"w\": {\"type\": \"f32[3000, 16]\"}}, "
    "\"nodes\": [{\"label\": \"h\", \"op\": \"matmul\", \"inputs\": [\"x\", \"w\"]}, "
    "{\"label\": \"y\", \"op\": \"softmax\", \"axis\": -1, \"inputs\": [\"h\"]}, "
    "{\"label\": \"e\", \"op\": \"unary\", \"function\": \"exp\", \"inputs\": [\"x\"]}, "
    "{\"label\": \"third\", \"op\": \"constant\", \"dtype\": \"f32\", \"shape\": [], \"values\": [0.3333]}, "
    "{\"label\": \"z\", \"op\": \"binary\", \"function\": \"multiply\", \"inputs\": [\"few\", \"third\"]}], "
    "\"results\": [\"y\", \"e\", \"z\"]}";

/* A context's run has the bits of these results. */
static void submits(plumb_executable* executable, const plumb_tensor* fed, size_t inputs, const plumb_tensor* softmax) {
  static float y[rows * columns];
  plumb_tensor read = *softmax;
  plumb_context* context = NULL;
  plumb_fence* fence = NULL;
  plumb_buffer* buffer = NULL;
  read.data = y;
  DONE(plumb_context_new(executable, &context));
  DONE(plumb_submit(context, fed, inputs, &fence));
  DONE(plumb_wait(fence));
  DONE(plumb_context_buffer(context, "y", &buffer));
  DONE(plumb_buffer_read(buffer, NULL, &read));
  REQUIRE(memcmp(y, softmax->data, sizeof y) == 0);
  plumb_buffer_free(buffer);
  plumb_fence_free(fence);
  plumb_context_free(context);
}

static void runs(const plumb_graph* graph, plumb_executor* cpu) {
  static float y[rows * columns], e[rows * inner], z[few];
  static const int64_t shapes[3][2] = {{rows, columns}, {rows, inner}, {few, 0}};
  float* const places[3] = {y, e, z};
  plumb_tensor fed[3], made[3];
  plumb_feeds* feeds = NULL;
  plumb_executable* executable = NULL;
  size_t inputs = 0;
  DONE(plumb_graph_feeds(graph, 3, &feeds));
  for (size_t k = 0; k < plumb_feeds_count(feeds); ++k) {
    plumb_tensor one = {0};
    one.struct_size = sizeof one;
    DONE(plumb_feeds_tensor(feeds, k, &one));
    size_t bytes = sizeof(float);
    for (int32_t axis = 0; axis < one.rank; ++axis) bytes *= (size_t)one.shape[axis];
    keep("feeds", one.data, bytes);
    if (strcmp(one.name, "w") != 0) fed[inputs++] = one;
  }
  for (size_t k = 0; k < 3; ++k) {
    const plumb_tensor one = {sizeof one, PLUMB_F32, k == 2 ? 1 : 2, 0, shapes[k], NULL, places[k], NULL};
    made[k] = one;
  }
  DONE(plumb_compile(cpu, graph, NULL, 0, NULL, 0, &executable));
  DONE(plumb_run(executable, fed, inputs, made, 3));
  keep("softmax of a product", y, sizeof y);
  keep("exp", e, sizeof e);
  keep("products with subnormal numbers", z, sizeof z);
  submits(executable, fed, inputs, made);
  plumb_executable_free(executable);
  plumb_feeds_free(feeds);
}

static void checks(void) {
  enum { n = 48 };
  static float x[n], y[n];
  const int64_t shape[2] = {4, n / 4};
  for (int k = 0; k < n; ++k) { /* exact, whatever the rounding */
    x[k] = (float)(k % 7);
    y[k] = 0.25f;
  }
  plumb_tensor in = {sizeof in, PLUMB_F32, 2, 0, shape, NULL, x, NULL};
  plumb_tensor got = {sizeof got, PLUMB_F32, 2, 0, shape, NULL, y, NULL};
  plumb_result* result = NULL;
  DONE(plumb_check("softmax", "{\"axis\": -1}", &in, 1, &got, 1, NULL, &result));
  keep_result("check", result);
  plumb_error* error = plumb_check("softmax", "{\"axis\": 7}", &in, 1, &got, 1, NULL, &result);
  REQUIRE(error != NULL && is_own());
  plumb_error_free(error);
}

/* Gives sums that this program's rounding shows in, and maybe rounds otherwise from then on. */
static int adds(void* user, const plumb_call* call) {
  static volatile float tiny = 0x1p-30f;
  plumb_tensor given = call->asked[0];
  const float* const x = (const float*)call->inputs[0].data;
  float y[few];
  REQUIRE(is_own());
  for (int k = 0; k < few; ++k) y[k] = x[k] + tiny;
  given.data = y;
  const int code = call->give(call->context, &given);
  REQUIRE(is_own());
  if (user != NULL) begin(*(const int*)user);
  return code;
}

static int watches(void* user, const char* what, size_t done, size_t steps) {
  (void)user, (void)what, (void)done, (void)steps;
  REQUIRE(is_own());
  return 0;
}

static void verifies(const plumb_graph* graph, plumb_executor* cpu) {
  plumb_verify_options options;
  plumb_result* result = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options, options.progress = watches;
  DONE(plumb_verify(graph, NULL, 0, cpu, &options, &result));
  keep_result("verify", result);
}

/* A candidate is judged as it computes in its own program. */
static void judges_what_is_called(int* changes_to) {
  static float x[few] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[1] = {few};
  plumb_tensor in = {sizeof in, PLUMB_F32, 1, 0, shape, NULL, x, "x0"};
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, changes_to, adds, NULL};
  plumb_graph* graph = NULL;
  plumb_executor* executor = NULL;
  plumb_result* result = NULL;
  plumb_row row = {0};
  row.struct_size = sizeof row;
  DONE(plumb_graph_of_op("unary", "{\"function\": \"abs\"}", &in, 1, &graph));
  DONE(plumb_callbacks(&callback, &executor));
  const int before = rounding;
  DONE(plumb_verify(graph, &in, 1, executor, NULL, &result));
  REQUIRE(plumb_result_exit(result) == (before == FE_UPWARD));
  GOOD(plumb_result_row(result, 0, &row));
  if (before == FE_UPWARD) REQUIRE(row.truth < row.got && row.got < row.truth * (1 + 0x1p-22));
  plumb_result_free(result);
  plumb_executor_free(executor);
  plumb_graph_free(graph);
}

static void everything(void) {
  plumb_graph* graph = NULL;
  plumb_executor* cpu = NULL;
  DONE(plumb_graph_parse(model, NULL, &graph));
  DONE(plumb_candidate("cpu", NULL, &cpu));
  runs(graph, cpu);
  checks();
  verifies(graph, cpu);
  judges_what_is_called(NULL);
  plumb_executor_free(cpu);
  plumb_graph_free(graph);
}

/* The same parts with the same bits came out as in the usual environment. */
static void compare(const char* where) {
  REQUIRE(other.count == usual.count);
  for (size_t k = 0; k < other.count && k < usual.count; ++k) {
    const part one = other.parts[k], as_usual = usual.parts[k];
    const size_t size = one.end - one.begin;
    if (size == as_usual.end - as_usual.begin &&
        memcmp(other.bytes + one.begin, usual.bytes + as_usual.begin, size) == 0)
      continue;
    fprintf(stderr, "%s: not the same %s\n", one.name, where);
    ++failures;
  }
}

int main(void) {
  int downward = FE_DOWNWARD;
  everything();
  kept = &other;
  begin(FE_UPWARD);
  everything();
  compare("where the caller rounds upward");
  judges_what_is_called(&downward); /* what it changes stays changed */
  REQUIRE(fegetround() == FE_DOWNWARD);
  begin(FE_TONEAREST);
  if (setlocale(LC_ALL, "") != NULL && strcmp(localeconv()->decimal_point, ",") == 0) {
    other.count = other.size = 0;
    everything();
    compare("where the caller writes decimals with a comma");
  } else {
    printf("skipped: no locale has a decimal comma\n");
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
