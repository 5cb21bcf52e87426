#include <gtest/gtest.h>

// GoogleTest's main, but 77 says that nothing ran: every test skipped itself.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  const auto& tests = *::testing::UnitTest::GetInstance();
  const bool nothing_ran = tests.skipped_test_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count();
  return status == 0 && nothing_ran ? 77 : status;
}
