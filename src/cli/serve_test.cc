// Servers in processes of their own: `lockstep serve`, and what a session sees when one is killed.

#include "cli/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/environment.h"
#include "base/process.h"
#include "lockstep/cluster/cluster_spec.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/session.h"
#include "net/grpc_test.h"
#include "net/ports.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;

class Serving : public testing::Test {
 protected:
  void SetUp() override {
    LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
    for (int task = 0; task < 2; ++task) {
      const auto port = net::ReservedPort::Reserve("127.0.0.1");
      ASSERT_TRUE(port.ok()) << port.status().ToString();
      cluster.set_task_address("ps", task, "127.0.0.1:" + std::to_string(port->port()));
    }
    for (int task = 0; task < 2; ++task) Start(task);
  }
  void TearDown() override {
    for (auto& server : servers) {
      if (server != nullptr) End(server, SIGTERM);
    }
  }

  // Until it says where it serves.
  void Start(int task) {
    auto pipe = base::Pipe::Make();
    ASSERT_TRUE(pipe.ok());
    base::ProcessOptions options;
    options.arguments = {LOCKSTEP_PROGRAM, "serve"};
    options.environment = base::ProcessEnvironment();
    options.environment["TF_CONFIG"] = R"({"cluster": )" + cluster.ToJson() +
                                       R"(, "task": {"type": "ps", "index": )" +
                                       std::to_string(task) + "}}";
    options.output = pipe->writes.fd();
    auto started = base::Process::Start(options);
    ASSERT_TRUE(started.ok()) << started.status().ToString();
    servers[task] = std::move(*started);
    pipe->writes.Close();
    std::string line;
    for (char c = 0; read(pipe->reads.fd(), &c, 1) == 1 && c != '\n';) line += c;
    EXPECT_EQ(line, "ps " + std::to_string(task) + " serves at lockstep://" +
                        cluster.task_address("ps", task));
  }
  void End(std::unique_ptr<base::Process>& server, int signal) {
    server->Signal(signal);
    while (!server->TakeEnd()) usleep(1000);
    server.reset();
  }

  ClusterSpec cluster;
  std::unique_ptr<base::Process> servers[2];
};

TEST_F(Serving, KeepsVariablesAndNamesTheTaskThatIsKilled) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable x, y;
  {
    const Device placed(RoundRobinVariables(2));
    x = Variable(1.f, {.name = "x"});
    y = Variable(2.f, {.name = "y"});
  }
  const Operation both = graph.Group({x.AssignAdd(y), y.AssignAdd(1.f)});
  const Session session("lockstep://" + cluster.task_address("ps", 0),
                        {.graph = std::make_shared<Graph>(graph)});
  session.Run({GlobalVariablesInitializer()});
  session.Run({both});
  EXPECT_EQ(session.Eval(x).scalar<float>(), 3);
  EXPECT_EQ(session.Eval(y).scalar<float>(), 3);
  End(servers[1], SIGKILL);
  try {
    session.Run({both});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("got /job:ps/replica:0/task:1 at " +
                                        cluster.task_address("ps", 1) + ", which was lost"));
  }
  EXPECT_EQ(session.Eval(x).scalar<float>(), 3);
}

}  // namespace
}  // namespace lockstep::cli
