#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "lockstep/base/status.h"

namespace lockstep {

/// The error that `call` throws; fails the test when it throws none.
inline Error ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(Code::kOk, "");
}

/// Checks the code of what `call` throws, and that its text contains `text`.
inline void ExpectError(Code code, const std::string& text, const std::function<void()>& call) {
  const Error error = ErrorOf(call);
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_THAT(error.what(), testing::HasSubstr(text));
}

}  // namespace lockstep
