#include "base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lockstep/base/status.h"

namespace lockstep::base {
namespace {

TEST(Environment, GivesTextsAndNumbers) {
  setenv("LOCKSTEP_TEST_NUMBER", "12", 1);
  EXPECT_EQ(ProcessEnvironment().at("LOCKSTEP_TEST_NUMBER"), "12");
  EXPECT_EQ(EnvironmentText("LOCKSTEP_TEST_NUMBER"), "12");
  EXPECT_EQ(EnvironmentNumber("LOCKSTEP_TEST_NUMBER", 1, 12), 12);
  for (const char* wrong : {"0", "13", "x", "1x", " 1", "99999999999999999999"}) {
    setenv("LOCKSTEP_TEST_NUMBER", wrong, 1);
    try {
      (void)EnvironmentNumber("LOCKSTEP_TEST_NUMBER", 1, 12);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_EQ(error.status().message(),
                "[LOCKSTEP_TEST_NUMBER] it must be a number from 1 to 12; got '" +
                    std::string(wrong) + "'");
    }
  }
  setenv("LOCKSTEP_TEST_NUMBER", "", 1);
  EXPECT_EQ(EnvironmentNumber("LOCKSTEP_TEST_NUMBER", 1, 12), std::nullopt);
  unsetenv("LOCKSTEP_TEST_NUMBER");
  EXPECT_EQ(EnvironmentText("LOCKSTEP_TEST_NUMBER"), std::nullopt);
}

}  // namespace
}  // namespace lockstep::base
