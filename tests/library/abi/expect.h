/* What the programs that test plumbline.h expect of a call. Failures are counted, and main returns whether there was
 * one. In C99, as a user has it. */
#ifndef EXPECT_H
#define EXPECT_H

#include <plumbline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

/* The error has this kind, and its message these words, or the test has failed. */
static inline void refused(plumb_error* error, int kind, const char* words, int line) {
  if (error == NULL || strstr(plumb_error_message(error), words) == NULL) {
    fprintf(stderr, "line %d: wanted '%s', got '%s'\n", line, words, error ? plumb_error_message(error) : "no error");
    ++failures;
  } else if (plumb_error_kind(error) != kind) {
    fprintf(stderr, "line %d: the error has kind %d\n", line, plumb_error_kind(error));
    ++failures;
  }
  plumb_error_free(error);
}
#define REFUSED(call, words) refused(call, PLUMB_ERROR_INVALID, words, __LINE__)
#define REFUSED_AS(kind, call, words) refused(call, kind, words, __LINE__)

static inline void good(plumb_error* error, int line) {
  if (error == NULL) return;
  fprintf(stderr, "line %d: %s\n", line, plumb_error_message(error));
  exit(1);
}
#define GOOD(call) good(call, __LINE__)

static inline void require(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define REQUIRE(what) require(what, #what, __LINE__)

#endif
