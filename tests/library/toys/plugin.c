/* A plugin that doubles its f32 inputs, x to y, rightly or with the fault that its arguments name. */
#include <stdlib.h>
#include <string.h>

#include "library/plumbline_candidate.h"

typedef struct {
  const plumb_candidate_host* host;
  char mode[32];
  int executables;
} Self;

static int is(const Self* self, const char* mode) { return strcmp(self->mode, mode) == 0; }

static int create(plumb_candidate_create_args* args) {
  if (strcmp(args->args, "uncreated") == 0) {
    args->host->fail(args->host, "has no licence");
    return PLUMB_ERROR;
  }
  Self* self = calloc(1, sizeof *self);
  self->host = args->host;
  strncpy(self->mode, args->args, sizeof self->mode - 1);
  args->self = self;
  return PLUMB_OK;
}

static int describe(plumb_candidate_describe_args* args) {
  const Self* self = args->self;
  args->json = is(self, "garbage") ? "{\"name\": "
                                   : "{\"name\": \"toy\", \"version\": \"3\", \"device\": \"cpu\", "
                                     "\"models\": [\"plumb.graph/1\"], \"taps\": [\"results\"]}";
  return PLUMB_OK;
}

static int supports(plumb_candidate_supports_args* args) {
  const Self* self = args->self;
  if (strstr(args->node, "\"op\": \"binary\"") != NULL && strstr(args->node, "f32[3, 4]") != NULL) return PLUMB_OK;
  self->host->fail(self->host, "has only binary");
  return PLUMB_UNSUPPORTED;
}

static int compile(plumb_candidate_compile_args* args) {
  Self* self = args->self;
  if (is(self, "refuses") || args->onnx != NULL) {
    self->host->fail(self->host, "no graph of this kind");
    return PLUMB_UNSUPPORTED;
  }
  if (is(self, "latin")) {
    self->host->fail(self->host, "no caf\xe9");
    return PLUMB_ERROR;
  }
  if (is(self, "breaks")) return PLUMB_DEVICE_FAILED;
  if (args->result_count != 1 || strcmp(args->results[0].name, "y") != 0 || args->results[0].rank != 2) return 2;
  if (args->graph == NULL || strcmp(args->taps, "results") != 0) return PLUMB_ERROR;
  ++self->executables;
  args->executable = self;
  return PLUMB_OK;
}

static int run(plumb_candidate_run_args* args) {
  Self* self = args->self;
  const plumb_candidate_tensor* x = &args->inputs[0];
  if (args->input_count != 1 || strcmp(x->name, "x") != 0 || x->dtype != PLUMB_F32) return PLUMB_ERROR;
  if (is(self, "crashes")) *(volatile int*)16 = 1;
  if (is(self, "exits")) exit(0);
  if (is(self, "changes")) ((float*)x->data)[1] += 1;
  float* y = malloc(x->bytes);
  for (size_t i = 0; i < x->bytes / 4; ++i) y[i] = 2 * ((const float*)x->data)[i];
  plumb_candidate_tensor out = *x;
  out.name = "y";
  out.data = y;
  if (is(self, "short")) out.bytes -= 4;
  if (is(self, "huge")) {
    static const int64_t huge[2] = {(int64_t)1 << 40, 1};
    out.shape = huge;
  }
  if (is(self, "dtype")) out.dtype = 99;
  if (is(self, "rank")) out.rank = 1000000;
  if (!is(self, "silent")) args->sink->value(args->sink->context, &out);
  if (is(self, "twice")) args->sink->value(args->sink->context, &out);
  if (is(self, "sums")) args->sink->node(args->sink->context, "y", "k", 5, "[1,");
  out.name = "unwanted";
  if (args->sink->wants(args->sink->context, "unwanted")) return PLUMB_ERROR;
  args->sink->value(args->sink->context, &out);
  args->sink->node(args->sink->context, "y", "double_avx2", 1800, NULL);
  memset(y, 0, x->bytes); /* what was handed over was copied */
  free(y);
  return PLUMB_OK;
}

static void release(void* self, void* executable) { ((Self*)self)->executables -= executable == self; }

static void destroy(void* self) {
  if (((Self*)self)->executables != 0) abort();
  free(self);
}

const plumb_candidate_v1* plumb_candidate_entry(uint32_t newest_abi) {
  static const plumb_candidate_v1 calls = {sizeof calls, 1, create, describe, supports, compile, run, release, destroy};
  return newest_abi >= 1 ? &calls : NULL;
}
