/* usage: residency decoder.json
 *
 * Buffers, params, contexts and fences of plumbline.h: steps of a decoder whose cache stays with the executor have the
 * bits of steps through the host, on the CPU and on a Vulkan device where there is one, and handles are freed in any
 * order. In C99, as a user has it. */
#include "decoder.h"

/* What a step through the host makes, of which the cache is the next one's. */
static void run_on_host(plumb_executable* executable, step* of, float* logits) {
  float cache[CACHE];
  plumb_tensor results[2];
  results[0] = floats(2, logits_shape, logits, NULL);
  results[1] = floats(4, cache_shape, cache, NULL);
  GOOD(plumb_run(executable, of->inputs, 4, results, 2));
  memcpy(of->cache, cache, sizeof cache);
}

/* Runs, and waits for the end. */
static void run_there(plumb_context* context, const step* of) {
  plumb_fence* fence = NULL;
  int32_t ready = -1;
  GOOD(plumb_submit(context, of->inputs, 3, &fence));
  GOOD(plumb_wait(fence));
  REQUIRE(plumb_fence_ready(fence) == 1);
  GOOD(plumb_fence_wait(fence, 0, &ready));
  REQUIRE(ready == 1);
  plumb_fence_free(fence);
}

static plumb_buffer* buffer_of(plumb_context* context, const char* value) {
  plumb_buffer* buffer = NULL;
  GOOD(plumb_context_buffer(context, value, &buffer));
  return buffer;
}

/* All of a context's value. */
static void read_all(plumb_context* context, const char* value, plumb_tensor into) {
  plumb_buffer* buffer = buffer_of(context, value);
  GOOD(plumb_buffer_read(buffer, NULL, &into));
  plumb_buffer_free(buffer);
}

/* The cache is fed, from a first one that was written; of each step come back one row of logits and one of the cache.
 */
static void feeds(const char* spec, const char* path) {
  const int64_t extents[4] = {1, HEADS, 1, HEAD};
  step here;
  float logits[WORDS], got[WORDS], row[HEADS * HEAD];
  plumb_tensor into = floats(2, logits_shape, got, NULL), into_row = floats(4, row_shape, row, NULL);
  plumb_traffic traffic = {sizeof traffic, 0, 0, 0};
  const char* how = NULL;
  handles of = opened(spec, path);
  plumb_buffer* cache;
  fill(here.cache, CACHE, 99);
  begin(&here, 0);
  GOOD(plumb_context_feed(of.context, "new_cache", "cache"));
  GOOD(plumb_context_how(of.context, "new_cache", &how));
  REQUIRE(strcmp(how, "in place") == 0);
  cache = buffer_of(of.context, "cache");
  GOOD(plumb_buffer_write(cache, &here.inputs[3], NULL));
  plumb_buffer_free(cache);
  for (int64_t at = 0; at < ROWS; ++at) {
    const int64_t starts[4] = {0, 0, at, 0};
    plumb_box box = {sizeof box, 4, NULL, NULL};
    box.starts = starts;
    box.extents = extents;
    begin(&here, at);
    run_there(of.context, &here);
    run_on_host(of.executable, &here, logits);
    read_all(of.context, "logits", into);
    cache = buffer_of(of.context, "cache");
    GOOD(plumb_buffer_read(cache, &box, &into_row));
    plumb_buffer_free(cache);
    REQUIRE(memcmp(logits, got, sizeof got) == 0);
    for (int head = 0; head < HEADS; ++head)
      REQUIRE(memcmp(row + head * HEAD, here.cache + (head * ROWS + at) * HEAD, HEAD * sizeof(float)) == 0);
    GOOD(plumb_context_traffic(of.context, &traffic));
    REQUIRE(traffic.up == sizeof here.token + 2 * sizeof(int64_t));
    REQUIRE(traffic.down == sizeof got + sizeof row);
  }
  if (strcmp(spec, "cpu") == 0) REQUIRE(plumb_context_blocks(of.context) == 0);
  end(&of);
}

/* The cache is a buffer of the caller's, bound as input and as result. */
static void binds(const char* spec, const char* path) {
  step here;
  float logits[WORDS], got[WORDS], all[CACHE];
  int64_t columns[4] = {4 * CACHE, 4, 4 * HEADS * HEAD, 4 * HEADS}; /* rows, then columns, then heads */
  plumb_tensor into = floats(2, logits_shape, got, NULL), into_all = floats(4, cache_shape, all, NULL), type;
  handles of = opened(spec, path);
  plumb_buffer *cache = NULL, *copy = NULL;
  plumb_error* error;
  fill(here.cache, CACHE, 99);
  begin(&here, 0);
  GOOD(plumb_buffer_new(of.executor, &here.inputs[3], &cache));
  GOOD(plumb_buffer_new(of.executor, &here.inputs[3], &copy));
  GOOD(plumb_buffer_read(cache, NULL, &into_all));
  for (int k = 0; k < CACHE; ++k) REQUIRE(all[k] == 0);
  GOOD(plumb_buffer_write(cache, &here.inputs[3], NULL));
  GOOD(plumb_context_bind(of.context, "cache", cache));
  GOOD(plumb_context_bind_result(of.context, "new_cache", cache));
  for (int64_t at = 0; at < ROWS; ++at) {
    begin(&here, at);
    run_there(of.context, &here);
    run_on_host(of.executable, &here, logits);
    read_all(of.context, "logits", into);
    REQUIRE(memcmp(logits, got, sizeof got) == 0);
  }
  GOOD(plumb_buffer_copy(copy, cache, NULL, NULL));
  GOOD(plumb_buffer_read(copy, NULL, &into_all));
  REQUIRE(memcmp(all, here.cache, sizeof all) == 0);
  into_all.strides = columns;
  GOOD(plumb_buffer_read(copy, NULL, &into_all));
  for (int head = 0; head < HEADS; ++head)
    for (int row = 0; row < ROWS; ++row)
      for (int k = 0; k < HEAD; ++k)
        REQUIRE(all[(row * HEAD + k) * HEADS + head] == here.cache[(head * ROWS + row) * HEAD + k]);
  type = floats(0, NULL, NULL, NULL);
  GOOD(plumb_buffer_type(cache, &type));
  REQUIRE(type.dtype == PLUMB_F32 && type.rank == 4 && type.shape[2] == ROWS && type.data == NULL);
  error = plumb_buffer_mapped(copy, &type);
  if (error == NULL) REQUIRE(memcmp(type.data, here.cache, sizeof all) == 0);
  if (error != NULL) REQUIRE(plumb_error_kind(error) == PLUMB_ERROR_UNSUPPORTED && strcmp(spec, "cpu") != 0);
  plumb_error_free(error);
  plumb_buffer_free(copy);
  plumb_buffer_free(cache);
  end(&of);
}

/* An index that is refused is the error of its own run, and the cache stays as it was. */
static void refuses_an_index(const char* spec, const char* path) {
  step here;
  float all[CACHE];
  plumb_tensor into = floats(4, cache_shape, all, NULL);
  handles of = opened(spec, path);
  plumb_fence* fence = NULL;
  fill(here.cache, CACHE, 99);
  begin(&here, ROWS);
  here.kv_lengths = 1;
  GOOD(plumb_context_feed(of.context, "new_cache", "cache"));
  plumb_buffer* cache = buffer_of(of.context, "cache");
  GOOD(plumb_buffer_write(cache, &here.inputs[3], NULL));
  GOOD(plumb_submit(of.context, here.inputs, 3, &fence));
  REFUSED(plumb_wait(fence), "new_cache");
  GOOD(plumb_buffer_read(cache, NULL, &into));
  REQUIRE(memcmp(all, here.cache, sizeof all) == 0);
  begin(&here, 0);
  run_there(of.context, &here);
  REFUSED(plumb_wait(fence), "new_cache"); /* still */
  plumb_fence_free(fence);
  plumb_buffer_free(cache);
  end(&of);
}

/* Each handle lives as long as it is needed, in whichever order they are freed. */
static void frees_in_any_order(const char* spec, const char* path) {
  step here;
  float logits[WORDS], got[WORDS];
  plumb_tensor into = floats(2, logits_shape, got, NULL);
  handles of = opened(spec, path);
  plumb_fence* fence = NULL;
  plumb_buffer *row, *weights = NULL;
  memset(here.cache, 0, sizeof here.cache);
  begin(&here, 0);
  run_on_host(of.executable, &here, logits);
  GOOD(plumb_context_feed(of.context, "new_cache", "cache"));
  GOOD(plumb_params_buffer(of.params, "wo", &weights));
  plumb_executor_free(of.executor);
  plumb_graph_free(of.graph);
  plumb_params_free(of.params);
  plumb_executable_free(of.executable);
  GOOD(plumb_submit(of.context, here.inputs, 3, &fence));
  row = buffer_of(of.context, "logits");
  plumb_context_free(of.context);
  GOOD(plumb_buffer_read(row, NULL, &into));
  REQUIRE(memcmp(logits, got, sizeof got) == 0);
  plumb_buffer_free(row);
  GOOD(plumb_wait(fence));
  plumb_fence_free(fence);
  float read[WIDTH * WORDS];
  plumb_tensor into_weights = floats(2, out_shape, read, NULL);
  GOOD(plumb_buffer_read(weights, NULL, &into_weights));
  REQUIRE(memcmp(read, wo, sizeof wo) == 0);
  plumb_buffer_free(weights);
}

/* Weights of zeros give logits of zeros, and the old ones the bits that they gave before. */
static void replaces_params(const char* spec, const char* path) {
  step here;
  float before[WORDS], got[WORDS], read[WIDTH * WORDS], zeros[WIDTH * WORDS] = {0};
  plumb_tensor into = floats(2, out_shape, read, NULL), none = floats(2, out_shape, zeros, NULL);
  plumb_tensor old = floats(2, out_shape, wo, NULL);
  handles of = opened(spec, path);
  const char* const all = "*";
  plumb_executable* executable = NULL;
  plumb_buffer* weights = NULL;
  memset(here.cache, 0, sizeof here.cache);
  begin(&here, 0);
  plumb_context_free(of.context);
  plumb_executable_free(of.executable);
  GOOD(plumb_compile_held(of.executor, of.graph, of.params, NULL, 0, &all, 1, &executable));
  of.executable = executable;
  GOOD(plumb_context_new(executable, &of.context));
  run_on_host(executable, &here, before);
  memset(here.cache, 0, sizeof here.cache);
  GOOD(plumb_params_set(of.params, "wo", &none));
  run_on_host(executable, &here, got);
  for (int k = 0; k < WORDS; ++k) REQUIRE(before[k] != 0 && got[k] == 0);
  GOOD(plumb_params_buffer(of.params, "wo", &weights));
  GOOD(plumb_buffer_read(weights, NULL, &into));
  REQUIRE(memcmp(read, zeros, sizeof zeros) == 0);
  plumb_buffer_free(weights);
  memset(here.cache, 0, sizeof here.cache);
  GOOD(plumb_params_set(of.params, "wo", &old));
  run_on_host(executable, &here, got);
  REQUIRE(memcmp(before, got, sizeof got) == 0);
  end(&of);
}

static void runs_on(const char* spec, const char* path) {
  replaces_params(spec, path);
  feeds(spec, path);
  binds(spec, path);
  refuses_an_index(spec, path);
  frees_in_any_order(spec, path);
}

int main(int count, char** arguments) {
  plumb_executor* vulkan = NULL;
  plumb_error* error;
  if (count != 2) return 2;
  runs_on("cpu", arguments[1]);
  error = plumb_candidate("vulkan", NULL, &vulkan);
  if (error == NULL) {
    runs_on("vulkan", arguments[1]);
  } else {
    REQUIRE(plumb_error_kind(error) == PLUMB_ERROR_UNSUPPORTED);
    printf("skipped on a Vulkan device: %s\n", plumb_error_message(error));
  }
  plumb_error_free(error);
  plumb_executor_free(vulkan);
  printf("%d failures\n", failures);
  return failures != 0;
}
