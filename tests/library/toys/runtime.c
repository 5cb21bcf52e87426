/* As much of ONNX Runtime's interface as refuses every model, by the status whose number the file begins with. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Status {
  int code;
} Status;

static int code_of(const Status* status) { return status->code; }
static const char* message_of(const Status* status) { return status->code == 9 ? "there is no kernel" : "it is broken"; }
static const void* succeeds(void) { return NULL; }

static Status* create_session(const void* env, const char* path, const void* options, void** session) {
  static Status status;
  FILE* file = fopen(path, "rb");
  status.code = file != NULL ? fgetc(file) - '0' : 1;
  if (file != NULL) fclose(file);
  return &status;
}

static void* const* table(uint32_t version) {
  static void* entries[300];
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) entries[i] = (void*)succeeds;
  entries[1] = (void*)code_of;
  entries[2] = (void*)message_of;
  entries[7] = (void*)create_session;
  return entries;
}
static const char* version(void) { return "1.99.0"; }

typedef struct Base {
  void* const* (*table)(uint32_t version);
  const char* (*version)(void);
} Base;

const Base* OrtGetApiBase(void) {
  static const Base base = {table, version};
  return &base;
}
