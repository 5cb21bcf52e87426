/* usage: host_memory
 *
 * Buffers in memory of the caller's, and tensors of DLPack, on the CPU and on a Vulkan device where there is one: what
 * runs read and write there, who is told of the last use, and what is refused. In C99, as a user has it. */
#include "expect.h"

/* As dlpack.h has them. */
typedef struct {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;
struct DLManagedTensor {
  dl_tensor tensor;
  void* context;
  void (*deleter)(struct DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  dl_tensor tensor;
};

enum { COUNT = 32768, ALIGNMENT = 65536 }; /* of floats; and no device asks for more bytes */
static int64_t shape[2] = {2, COUNT / 2};

/* Memory that begins at such a multiple. */
typedef struct {
  void* all;
  float* data;
} memory;

static memory allocated(void) {
  memory made;
  made.all = malloc(COUNT * sizeof(float) + ALIGNMENT);
  made.data = (float*)(((uintptr_t)made.all + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  for (int k = 0; k < COUNT; ++k) made.data[k] = (float)k;
  return made;
}

static plumb_tensor floats(float* data) {
  plumb_tensor made = {sizeof made, PLUMB_F32, 2, 0, NULL, NULL, NULL, NULL};
  made.shape = shape;
  made.data = data;
  return made;
}

static void count(void* user) { ++*(int*)user; }

/* y = -x0, compiled. */
typedef struct {
  plumb_executor* executor;
  plumb_graph* graph;
  plumb_executable* executable;
  plumb_context* context;
} handles;

static handles opened(const char* spec) {
  handles made = {NULL, NULL, NULL, NULL};
  plumb_tensor type = floats(NULL);
  GOOD(plumb_candidate(spec, NULL, &made.executor));
  GOOD(plumb_graph_of_op("unary", "{\"function\": \"negate\"}", &type, 1, &made.graph));
  GOOD(plumb_compile(made.executor, made.graph, NULL, 0, NULL, 0, &made.executable));
  GOOD(plumb_context_new(made.executable, &made.context));
  return made;
}

static void end(handles* of) {
  plumb_context_free(of->context);
  plumb_executable_free(of->executable);
  plumb_graph_free(of->graph);
  plumb_executor_free(of->executor);
}

static void run(plumb_context* context) {
  plumb_fence* fence = NULL;
  GOOD(plumb_submit(context, NULL, 0, &fence));
  GOOD(plumb_wait(fence));
  plumb_fence_free(fence);
}

/* 0 where the device imports no memory. */
static int runs_where_memory_is(const char* spec) {
  memory x = allocated(), y = allocated();
  plumb_tensor from = floats(x.data), to = floats(y.data), mapped = floats(NULL);
  plumb_buffer *read = NULL, *written = NULL;
  int released = 0, imports;
  handles of = opened(spec);
  plumb_error* error = plumb_buffer_import(of.executor, &from, PLUMB_IMPORT_REQUIRE, count, &released, &read);
  imports = plumb_error_kind(error) != PLUMB_ERROR_UNSUPPORTED || strcmp(spec, "cpu") == 0;
  if (!imports) printf("%s\n", plumb_error_message(error));
  if (imports) {
    GOOD(error);
    GOOD(plumb_buffer_import(of.executor, &to, PLUMB_IMPORT_REQUIRE, NULL, NULL, &written));
    GOOD(plumb_buffer_mapped(written, &mapped));
    REQUIRE(mapped.data == y.data);
    GOOD(plumb_context_bind(of.context, "x0", read));
    GOOD(plumb_context_bind_result(of.context, "y", written));
    for (int step = 1; step <= 3; ++step) {
      for (int k = 0; k < COUNT; ++k) x.data[k] = (float)(step * k);
      run(of.context);
      for (int k = 0; k < COUNT; ++k)
        if (y.data[k] != (float)(-step * k)) REQUIRE(!"y is -x of this step"), k = COUNT;
    }
    plumb_buffer_free(read);
    REQUIRE(released == 0);
    plumb_buffer_free(written);
  } else {
    plumb_error_free(error);
  }
  end(&of);
  REQUIRE(released == imports);
  free(x.all), free(y.all);
  return imports;
}

/* What cannot be used where it is, is copied if that is allowed, and nothing is released that was not taken. */
static void refuses_or_copies(const char* spec, int imports) {
  memory x = allocated();
  const int64_t columns[2] = {4, 8};
  int released = 0;
  plumb_tensor given = floats(x.data), strided = given, odd = given;
  plumb_buffer* buffer = NULL;
  handles of = opened(spec);
  strided.strides = columns;
  odd.data = (char*)x.data + 2;
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED,
             plumb_buffer_import(of.executor, &strided, PLUMB_IMPORT_REQUIRE, count, &released, &buffer),
             "memory: its strides are not row-major");
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED,
             plumb_buffer_import(of.executor, &odd, PLUMB_IMPORT_REQUIRE, count, &released, &buffer),
             imports ? "multiple of " : "VK_EXT_external_memory_host");
  REQUIRE(released == 0 && buffer == NULL);
  GOOD(plumb_buffer_import(of.executor, &strided, PLUMB_IMPORT_ALLOW_COPY, count, &released, &buffer));
  REQUIRE(released == 1); /* it was copied */
  GOOD(plumb_context_bind(of.context, "x0", buffer));
  plumb_buffer_free(buffer);
  memory y = allocated();
  plumb_tensor into = floats(y.data);
  plumb_buffer* result = NULL;
  run(of.context);
  GOOD(plumb_context_buffer(of.context, "y", &result));
  GOOD(plumb_buffer_read(result, NULL, &into));
  for (int k = 0; k < COUNT / 2; ++k)
    REQUIRE(y.data[k] == -(float)(2 * k) && y.data[COUNT / 2 + k] == -(float)(2 * k + 1));
  plumb_buffer_free(result);
  end(&of);
  free(x.all), free(y.all);
}

static int deleted = 0;
static void delete_new(struct DLManagedTensorVersioned* self) { ++deleted, self->deleter = NULL; }
static void delete_old(struct DLManagedTensor* self) { ++deleted, self->deleter = NULL; }

static dl_tensor dlpack_of(float* data) {
  dl_tensor made = {NULL, {1, 0}, 2, {2, 32, 1}, NULL, NULL, 0};
  made.data = data;
  made.shape = shape;
  return made;
}

/* Buffers of the CPU as others take them, and back where they are. */
static void gives_tensors_of_dlpack(void) {
  plumb_tensor type = floats(NULL), mapped = type;
  struct DLManagedTensorVersioned* given = NULL;
  struct DLManagedTensor* old = NULL;
  plumb_buffer *buffer = NULL, *back = NULL;
  handles of = opened("cpu");
  GOOD(plumb_buffer_new(of.executor, &type, &buffer));
  GOOD(plumb_buffer_mapped(buffer, &mapped));
  GOOD(plumb_buffer_to_dlpack(buffer, 1, &given));
  REQUIRE(given->version.major == 1 && given->flags == 1 && given->tensor.data == mapped.data);
  given->deleter(given);
  GOOD(plumb_buffer_to_dlpack(buffer, 0, &given));
  GOOD(plumb_buffer_to_dlpack_unversioned(buffer, &old));
  REQUIRE(given->flags == 0 && old->tensor.data == mapped.data && old->tensor.shape[1] == COUNT / 2);
  plumb_buffer_free(buffer);
  ((float*)old->tensor.data)[5] = 7; /* both keep the memory */
  GOOD(plumb_buffer_from_dlpack(of.executor, given, PLUMB_IMPORT_REQUIRE, &back));
  plumb_buffer_free(back);
  GOOD(plumb_buffer_from_dlpack_unversioned(of.executor, old, PLUMB_IMPORT_REQUIRE, &back));
  GOOD(plumb_buffer_mapped(back, &type));
  REQUIRE(type.data == mapped.data && ((float*)type.data)[5] == 7);
  plumb_buffer_free(back);
  end(&of);
}

/* Tensors of others, in both forms, whose deleters are called once. */
static void takes_tensors_of_dlpack(const char* spec, int imports) {
  memory x = allocated();
  plumb_tensor mapped = floats(NULL);
  plumb_buffer* buffer = NULL;
  handles of = opened(spec);
  for (int is_old = 0; is_old < 2; ++is_old) {
    struct DLManagedTensorVersioned tensor = {{1, 0}, NULL, delete_new, 0, dlpack_of(x.data)};
    struct DLManagedTensor old = {dlpack_of(x.data), NULL, delete_old};
    deleted = 0;
    GOOD(is_old ? plumb_buffer_from_dlpack_unversioned(of.executor, &old, PLUMB_IMPORT_ALLOW_COPY, &buffer)
                : plumb_buffer_from_dlpack(of.executor, &tensor, PLUMB_IMPORT_ALLOW_COPY, &buffer));
    REQUIRE(deleted == !imports);
    if (imports) {
      GOOD(plumb_buffer_mapped(buffer, &mapped));
      REQUIRE(mapped.data == x.data);
    }
    plumb_buffer_free(buffer);
    REQUIRE(deleted == 1);
  }
  end(&of);
  free(x.all);
}

/* Each a mistake that is said, after which nothing is kept of what was given. */
static void refuses_mistakes(void) {
  memory x = allocated();
  plumb_tensor given = floats(x.data), none = floats(NULL);
  struct DLManagedTensorVersioned tensor = {{1, 0}, NULL, delete_new, 0, dlpack_of(x.data)}, *made = NULL;
  struct DLManagedTensor old = {dlpack_of(x.data), NULL, delete_old}, *made_old = NULL;
  plumb_buffer *buffer = NULL, *of_cpu = NULL, *weight = NULL;
  plumb_params* params = NULL;
  unsigned char two = 2;
  plumb_tensor wrong = {sizeof wrong, PLUMB_BOOL, 0, 0, NULL, NULL, NULL, NULL};
  handles of = opened("cpu");
  wrong.data = &two;
  given.name = "w";
  GOOD(plumb_params_new(of.executor, &given, 1, &params));
  GOOD(plumb_params_buffer(params, "w", &weight));
  REFUSED(plumb_buffer_import(NULL, &given, 0, count, NULL, &buffer), "executor: is NULL");
  REFUSED(plumb_buffer_import(of.executor, NULL, 0, count, NULL, &buffer), "memory: is NULL");
  REFUSED(plumb_buffer_import(of.executor, &given, 0, count, NULL, NULL), "buffer: is NULL");
  REFUSED(plumb_buffer_import(of.executor, &given, 2, count, NULL, &buffer), "how: is 2");
  REFUSED(plumb_buffer_import(of.executor, &none, 0, count, NULL, &buffer), "memory: data is NULL");
  REFUSED(plumb_buffer_import(of.executor, &wrong, 0, count, NULL, &buffer), "memory: has a bool that is 2");
  GOOD(plumb_buffer_new(of.executor, &given, &of_cpu));
  REFUSED(plumb_buffer_to_dlpack(NULL, 0, &made), "buffer: is NULL");
  REFUSED(plumb_buffer_to_dlpack(of_cpu, 0, NULL), "tensor: is NULL");
  REFUSED(plumb_buffer_to_dlpack_unversioned(NULL, &made_old), "buffer: is NULL");
  REFUSED(plumb_buffer_to_dlpack_unversioned(of_cpu, NULL), "tensor: is NULL");
  REFUSED(plumb_buffer_to_dlpack(weight, 0, &made), "param 'w' is not written");
  REFUSED(plumb_buffer_to_dlpack_unversioned(weight, &made_old), "param 'w' is not written");
  REQUIRE(made == NULL && made_old == NULL);
  REFUSED(plumb_buffer_from_dlpack(of.executor, NULL, 0, &buffer), "there is no DLPack tensor");
  REFUSED(plumb_buffer_from_dlpack_unversioned(of.executor, NULL, 0, &buffer), "there is no DLPack tensor");
  deleted = 0;
  REFUSED(plumb_buffer_from_dlpack(NULL, &tensor, 0, &buffer), "executor: is NULL");
  REFUSED(plumb_buffer_from_dlpack_unversioned(of.executor, &old, 3, &buffer), "how: is 3");
  REQUIRE(deleted == 2);
  tensor.deleter = delete_new;
  tensor.version.major = 2;
  REFUSED_AS(PLUMB_ERROR_UNSUPPORTED, plumb_buffer_from_dlpack(of.executor, &tensor, 0, &buffer), "version 2.0");
  REQUIRE(deleted == 3 && buffer == NULL);
  plumb_buffer_free(weight);
  plumb_buffer_free(of_cpu);
  plumb_params_free(params);
  end(&of);
  free(x.all);
}

static void runs_on(const char* spec) {
  const int imports = runs_where_memory_is(spec);
  refuses_or_copies(spec, imports);
  takes_tensors_of_dlpack(spec, imports);
}

int main(void) {
  plumb_executor* vulkan = NULL;
  plumb_error* error = plumb_candidate("vulkan", NULL, &vulkan);
  runs_on("cpu");
  gives_tensors_of_dlpack();
  refuses_mistakes();
  if (error == NULL) {
    runs_on("vulkan");
  } else {
    REQUIRE(plumb_error_kind(error) == PLUMB_ERROR_UNSUPPORTED);
    printf("skipped on a Vulkan device: %s\n", plumb_error_message(error));
  }
  plumb_error_free(error);
  plumb_executor_free(vulkan);
  printf("%d failures\n", failures);
  return failures != 0;
}
