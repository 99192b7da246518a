#pragma once

#include <gtest/gtest.h>

#include <functional>

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

}  // namespace lockstep
