// What goes wrong is said in one form: [where] broken rule; got VALUES. Code that answers the world
// returns a Result; code that a model is written in throws an Error, and OrThrow leads from the one
// to the other.
#include <cstdio>

#include "lockstep/base/status.h"

lockstep::Result<int> ShardSize(int batch, int shards) {
  if (shards > 0 && batch % shards == 0) return batch / shards;
  return lockstep::Status(lockstep::Code::kInvalidArgument,
                          "[shard size] shards must divide the batch; got batch " +
                              std::to_string(batch) + ", shards " + std::to_string(shards));
}

int main() {
  std::printf("32 in 8 shards: %d each\n", ShardSize(32, 8).OrThrow());
  try {
    ShardSize(32, 5).OrThrow();
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return error.code() == lockstep::Code::kInvalidArgument ? 0 : 1;
  }
  return 1;
}
