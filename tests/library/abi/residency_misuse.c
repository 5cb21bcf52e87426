/* usage: residency_misuse decoder.json
 *
 * Every function of buffers, params, contexts and fences with what it must refuse: each time an error that names the
 * argument, or the value as C++ does, and outputs that nothing was written to. In C99, as a user has it. */
#include "decoder.h"

static void buffers(const char* path) {
  const int64_t three[1] = {3}, five[2] = {3, 5}, zero[2] = {0, 0}, last[2] = {2, 0}, two[2] = {2, 5}, one[2] = {1, 0};
  const int64_t huge[2] = {(int64_t)1 << 20, (int64_t)1 << 20};
  float data[15] = {0};
  plumb_tensor type = floats(2, five, data, NULL), of_three = floats(1, three, data, NULL), into = type;
  plumb_box box = {sizeof box, 2, NULL, NULL}, other = box;
  handles of = opened("cpu", path);
  plumb_buffer *buffer = NULL, *none = NULL, *integers = NULL, *weight = NULL;
  REFUSED(plumb_buffer_new(NULL, &type, &none), "executor: is NULL");
  REFUSED(plumb_buffer_new(of.executor, NULL, &none), "type: is NULL");
  REFUSED(plumb_buffer_new(of.executor, &type, NULL), "buffer: is NULL");
  type.dtype = 99;
  REFUSED(plumb_buffer_new(of.executor, &type, &none), "type: there is no dtype 99");
  type.dtype = PLUMB_F32, type.struct_size = 0;
  REFUSED(plumb_buffer_new(of.executor, &type, &none), "type: struct_size is 0");
  REQUIRE(none == NULL);
  type.struct_size = sizeof type;
  GOOD(plumb_buffer_new(of.executor, &type, &buffer));
  REFUSED(plumb_buffer_type(NULL, &type), "buffer: is NULL");
  REFUSED(plumb_buffer_type(buffer, NULL), "type: is NULL");
  REFUSED(plumb_buffer_write(NULL, &type, NULL), "buffer: is NULL");
  REFUSED(plumb_buffer_write(buffer, NULL, NULL), "from: is NULL");
  REFUSED(plumb_buffer_write(buffer, &of_three, NULL), "a buffer is written as f32[3, 5], and was given f32[3]");
  REFUSED(plumb_buffer_read(NULL, NULL, &into), "buffer: is NULL");
  REFUSED(plumb_buffer_read(buffer, NULL, NULL), "into: is NULL");
  REFUSED(plumb_buffer_read(buffer, NULL, &of_three), "a buffer is read as f32[3, 5], and was given f32[3]");
  into.shape = huge;
  REFUSED(plumb_buffer_read(buffer, NULL, &into), "a buffer is read as f32[3, 5] or less, and was given f32[1048576,");
  into.shape = five, into.data = NULL;
  REFUSED(plumb_buffer_read(buffer, NULL, &into), "into: data is NULL");
  REFUSED(plumb_buffer_read(buffer, &box, &type), "box: starts is NULL");
  box.starts = last;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "box: extents is NULL");
  box.extents = two;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "f32[3, 5] has no box of [2, 5] from [2, 0], which leaves it along");
  REFUSED(plumb_buffer_write(buffer, &type, &box), "f32[3, 5] has no box of [2, 5] from [2, 0], which leaves it along");
  box.rank = 1;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "f32[3, 5] has no box of [2] from [2], which has another rank");
  box.rank = 0;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "box: rank is 0, and the buffer is f32[3, 5]");
  box.rank = 9;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "box: rank is 9");
  box.struct_size = 0;
  REFUSED(plumb_buffer_read(buffer, &box, &type), "box: struct_size is 0");
  box.struct_size = sizeof box, box.rank = 2, box.starts = zero, other.starts = one, other.extents = two;
  REFUSED(plumb_buffer_copy(NULL, buffer, NULL, NULL), "to: is NULL");
  REFUSED(plumb_buffer_copy(buffer, NULL, NULL, NULL), "from: is NULL");
  REFUSED(plumb_buffer_copy(buffer, buffer, &box, &other), "is copied onto itself, and the boxes meet");
  type.dtype = PLUMB_I32;
  GOOD(plumb_buffer_new(of.executor, &type, &integers));
  REFUSED(plumb_buffer_copy(buffer, integers, NULL, NULL),
          "a buffer is written as f32[3, 5], and a buffer gives i32[3, 5]");
  REFUSED(plumb_buffer_mapped(NULL, &type), "buffer: is NULL");
  REFUSED(plumb_buffer_mapped(buffer, NULL), "tensor: is NULL");
  GOOD(plumb_params_buffer(of.params, "wo", &weight));
  REFUSED(plumb_buffer_mapped(weight, &type), "param 'wo' is not written: it is a param");
  plumb_buffer_free(weight), plumb_buffer_free(integers), plumb_buffer_free(buffer);
  end(&of);
}

static void params(const char* path) {
  plumb_tensor one = floats(2, square, wq, "wq"), nameless = floats(2, square, wq, NULL);
  const char* misspelt = "logit";
  plumb_params* few = NULL;
  plumb_buffer* buffer = NULL;
  plumb_executable* executable = NULL;
  handles of = opened("cpu", path);
  REFUSED(plumb_params_new(NULL, &one, 1, &few), "executor: is NULL");
  REFUSED(plumb_params_new(of.executor, NULL, 1, &few), "tensors: is NULL");
  REFUSED(plumb_params_new(of.executor, &nameless, 1, &few), "tensors[0].name: is NULL");
  REFUSED(plumb_params_new(of.executor, &one, 1, NULL), "params: is NULL");
  REQUIRE(few == NULL);
  GOOD(plumb_params_new(of.executor, &one, 1, &few));
  REFUSED(plumb_params_buffer(NULL, "wq", &buffer), "params: is NULL");
  REFUSED(plumb_params_buffer(few, NULL, &buffer), "name: is NULL");
  REFUSED(plumb_params_buffer(few, "wk", &buffer), "there is no param 'wk'");
  REFUSED(plumb_params_buffer(few, "wq", NULL), "buffer: is NULL");
  REFUSED(plumb_compile_held(NULL, of.graph, few, NULL, 0, NULL, 0, &executable), "executor: is NULL");
  REFUSED(plumb_compile_held(of.executor, NULL, few, NULL, 0, NULL, 0, &executable), "graph: is NULL");
  REFUSED(plumb_compile_held(of.executor, of.graph, NULL, NULL, 0, NULL, 0, &executable), "params: is NULL");
  REFUSED(plumb_compile_held(of.executor, of.graph, few, NULL, 1, NULL, 0, &executable), "wanted: is NULL");
  REFUSED(plumb_compile_held(of.executor, of.graph, few, NULL, 0, NULL, 0, NULL), "executable: is NULL");
  REFUSED(plumb_compile_held(of.executor, of.graph, few, &misspelt, 1, NULL, 0, &executable),
          "wanted: the graph computes no value 'logit'; did you mean logits?");
  REFUSED(plumb_compile_held(of.executor, of.graph, few, NULL, 0, NULL, 0, &executable), "param 'wk' was not fed");
  REFUSED(plumb_compile_held(of.executor, of.graph, of.params, NULL, 0, NULL, 1, &executable), "replaceable: is NULL");
  REFUSED(plumb_compile_held(of.executor, of.graph, of.params, NULL, 0, &misspelt, 1, &executable),
          "param 'logit' is to be replaceable, and the graph has none such");
  REFUSED(plumb_params_set(NULL, "wq", &one), "params: is NULL");
  REFUSED(plumb_params_set(of.params, NULL, &one), "name: is NULL");
  REFUSED(plumb_params_set(of.params, "wq", NULL), "value: is NULL");
  REFUSED(plumb_params_set(of.params, "wx", &one), "there is no param 'wx'");
  REFUSED(plumb_params_set(of.params, "wo", &one), "param 'wo' is f32[8, 5], and was given f32[8, 8]");
  REFUSED(plumb_params_set(of.params, "wq", &one), "param 'wq' stays as it is: an executable was compiled without");
  REQUIRE(executable == NULL && buffer == NULL);
  plumb_params_free(few);
  end(&of);
}

static void contexts(const char* path) {
  step here;
  handles of = opened("cpu", path);
  plumb_context *it = of.context, *none = NULL;
  plumb_buffer *cache = NULL, *small = NULL, *weight = NULL, *no_buffer = NULL;
  const char* how = NULL;
  plumb_traffic traffic = {0, 0, 0, 0};
  plumb_tensor type = floats(2, logits_shape, NULL, NULL);
  begin(&here, 0);
  GOOD(plumb_buffer_new(of.executor, &here.inputs[3], &cache));
  GOOD(plumb_buffer_new(of.executor, &type, &small));
  GOOD(plumb_params_buffer(of.params, "wo", &weight));
  REFUSED(plumb_context_new(NULL, &none), "executable: is NULL");
  REFUSED(plumb_context_new(of.executable, NULL), "context: is NULL");
  REFUSED(plumb_context_bind(NULL, "cache", cache), "context: is NULL");
  REFUSED(plumb_context_bind(it, NULL, cache), "input: is NULL");
  REFUSED(plumb_context_bind(it, "cache", NULL), "from: is NULL");
  REFUSED(plumb_context_bind(it, "cahce", cache), "input: the graph has no value 'cahce'; did you mean cache?");
  REFUSED(plumb_context_bind(it, "logits", small), "'logits' is no input of the graph");
  REFUSED(plumb_context_bind(it, "cache", small),
          "input 'cache' is f32[1, 2, 16, 4], and was given a buffer of f32[1, 5]");
  REFUSED(plumb_context_bind_result(NULL, "logits", small), "context: is NULL");
  REFUSED(plumb_context_bind_result(it, "logits", NULL), "to: is NULL");
  REFUSED(plumb_context_bind_result(it, "logit", small),
          "result: the graph has no value 'logit'; did you mean logits?");
  REFUSED(plumb_context_bind_result(it, "seen", small), "'seen' is no result: the graph was not compiled for it");
  REFUSED(plumb_context_bind_result(it, "logits", cache),
          "result 'logits' is f32[1, 5], and was given a buffer of f32[1,");
  REFUSED(plumb_context_feed(NULL, "new_cache", "cache"), "context: is NULL");
  REFUSED(plumb_context_feed(it, "new_cache", "cash"), "input: the graph has no value 'cash'");
  REFUSED(plumb_context_feed(it, "logits", "token"),
          "input 'token' is f32[1, 8], and cannot be fed 'logits', which is f32[1, 5]");
  REFUSED(plumb_context_how(it, "logits", &how), "'logits' is fed to no input");
  REFUSED(plumb_context_how(it, "logits", NULL), "how: is NULL");
  REFUSED(plumb_context_buffer(it, "sean", &no_buffer), "value: the graph has no value 'sean'");
  REFUSED(plumb_context_buffer(it, "seen", &no_buffer), "'seen' is neither an input nor a result");
  REFUSED(plumb_context_buffer(it, "logits", NULL), "buffer: is NULL");
  REFUSED(plumb_context_traffic(NULL, &traffic), "context: is NULL");
  REFUSED(plumb_context_traffic(it, &traffic), "traffic: struct_size is 0");
  REQUIRE(none == NULL && how == NULL && no_buffer == NULL && plumb_context_blocks(NULL) == 0);
  GOOD(plumb_context_bind(it, "cache", cache));
  REFUSED(plumb_context_bind_result(it, "logits", weight),
          "result 'logits' is f32[1, 5], and was given a buffer of f32[8,");
  plumb_buffer_free(weight), plumb_buffer_free(small), plumb_buffer_free(cache);
  end(&of);
}

static void submits(const char* path) {
  step here;
  handles of = opened("cpu", path);
  plumb_fence* fence = NULL;
  plumb_buffer* cache = NULL;
  int32_t ready = 7;
  memset(here.cache, 0, sizeof here.cache);
  begin(&here, 0);
  REFUSED(plumb_submit(NULL, here.inputs, 4, &fence), "context: is NULL");
  REFUSED(plumb_submit(of.context, NULL, 4, &fence), "inputs: is NULL");
  REFUSED(plumb_submit(of.context, here.inputs, 4, NULL), "fence: is NULL");
  REFUSED(plumb_submit(of.context, here.inputs, 3, &fence), "input 'cache' was not fed");
  here.inputs[0].name = "tokens";
  REFUSED(plumb_submit(of.context, here.inputs, 4, &fence),
          "'tokens' was given, and is no input of the graph; did you mean token?");
  here.inputs[0] = floats(2, logits_shape, here.token, "token");
  REFUSED(plumb_submit(of.context, here.inputs, 4, &fence), "input 'token' is f32[1, 5], the graph wants f32[1, 8]");
  begin(&here, 0);
  GOOD(plumb_buffer_new(of.executor, &here.inputs[3], &cache));
  GOOD(plumb_context_bind(of.context, "cache", cache));
  REFUSED(plumb_submit(of.context, here.inputs, 4, &fence), "input 'cache' is bound, and was given a value as well");
  REQUIRE(fence == NULL && plumb_fence_ready(NULL) == 0);
  REFUSED(plumb_wait(NULL), "fence: is NULL");
  GOOD(plumb_submit(of.context, here.inputs, 3, &fence));
  REFUSED(plumb_fence_wait(NULL, 1, &ready), "fence: is NULL");
  REFUSED(plumb_fence_wait(fence, 1, NULL), "ready: is NULL");
  REFUSED(plumb_fence_wait(fence, -1, &ready), "seconds: is -1");
  REQUIRE(ready == 7);
  GOOD(plumb_wait(fence));
  plumb_fence_free(fence);
  plumb_buffer_free(cache);
  end(&of);
}

static int never_runs(void* user, const plumb_call* call) { return (void)user, (void)call, 1; }

/* Candidates that are not ours have no memory that could be bound. */
static void others_have_none(const char* path) {
  plumb_callback callback = {sizeof callback, 0, NULL, NULL, NULL, never_runs, NULL};
  plumb_tensor one = floats(2, square, wq, "wq");
  handles of = {NULL, NULL, NULL, NULL, NULL};
  plumb_buffer* buffer = NULL;
  GOOD(plumb_graph_read(path, NULL, &of.graph));
  GOOD(plumb_callbacks(&callback, &of.executor));
  GOOD(plumb_compile(of.executor, of.graph, NULL, 0, NULL, 0, &of.executable));
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED, plumb_buffer_new(of.executor, &one, &buffer), "callback has no buffers");
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED, plumb_params_new(of.executor, &one, 1, &of.params), "callback has no params");
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED, plumb_context_new(of.executable, &of.context), "has no contexts");
  end(&of);
}

/* Memory of one executor is none of another's. */
static void keeps_executors_apart(const char* path) {
  handles here = opened("cpu", path), there = opened("vulkan", path);
  plumb_tensor type = floats(4, cache_shape, NULL, NULL);
  plumb_buffer *ours = NULL, *theirs = NULL;
  plumb_executable* executable = NULL;
  GOOD(plumb_buffer_new(here.executor, &type, &ours));
  GOOD(plumb_buffer_new(there.executor, &type, &theirs));
  REFUSED(plumb_context_bind(here.context, "cache", theirs), "input 'cache' was given a buffer of another executor");
  REFUSED(plumb_context_bind_result(there.context, "new_cache", ours), "was given a buffer of another executor");
  REFUSED(plumb_buffer_copy(ours, theirs, NULL, NULL), "are of two executors");
  REFUSED(plumb_compile_held(here.executor, here.graph, there.params, NULL, 0, NULL, 0, &executable),
          "params are not held by");
  REFUSED(plumb_compile_held(there.executor, here.graph, here.params, NULL, 0, NULL, 0, &executable),
          "params are not held by");
  plumb_buffer_free(ours), plumb_buffer_free(theirs);
  end(&there);
  end(&here);
}

int main(int count, char** arguments) {
  plumb_executor* vulkan = NULL;
  plumb_error* error;
  if (count != 2) return 2;
  buffers(arguments[1]);
  params(arguments[1]);
  contexts(arguments[1]);
  submits(arguments[1]);
  others_have_none(arguments[1]);
  plumb_buffer_free(NULL), plumb_params_free(NULL), plumb_context_free(NULL), plumb_fence_free(NULL);
  error = plumb_candidate("vulkan", NULL, &vulkan);
  if (error == NULL)
    keeps_executors_apart(arguments[1]);
  else
    printf("skipped between executors: %s\n", plumb_error_message(error));
  plumb_error_free(error);
  plumb_executor_free(vulkan);
  printf("%d failures\n", failures);
  return failures != 0;
}
