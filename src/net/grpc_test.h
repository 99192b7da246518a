#pragma once

#include <gtest/gtest.h>

/// Skips a test that runs gRPC under the thread sanitizer: Debian's gRPC is not built for it, so
/// its own, ordered accesses are taken for races.
#if defined(__SANITIZE_THREAD__)
#define LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED() \
  GTEST_SKIP() << "gRPC is not built for the thread sanitizer"
#else
#define LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED() static_assert(true)
#endif
