// A cluster whose tasks only serve, for tests of who gives them their work.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/remote/server.h"
#include "net/grpc_test.h"

namespace lockstep {

/// Two servers of variables and two workers, in this process.
class ServedCluster : public testing::Test {
 protected:
  void SetUp() override {
    LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
    const std::string folder = testing::TempDir() + "lockstep-served-" +
                               std::to_string(static_cast<unsigned long long>(getpid()));
    cluster = ClusterSpec({{"ps", {"unix:" + folder + "-ps0", "unix:" + folder + "-ps1"}},
                           {"worker", {"unix:" + folder + "-w0", "unix:" + folder + "-w1"}}});
    for (int task = 0; task < 2; ++task) {
      servers.push_back(std::make_unique<Server>(cluster, "ps", task));
      workers.push_back(std::make_unique<Server>(cluster, "worker", task));
    }
  }

  ClusterSpec cluster;
  std::vector<std::unique_ptr<Server>> servers, workers;
};

}  // namespace lockstep
