#include "net/ports.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/event_loop.h"
#include "net/grpc_rpc.h"
#include "net/grpc_test.h"
#include "net/tcp_port.h"

namespace lockstep::net {
namespace {

TEST(ReservedPort, IsNobodyElsesAndListensOnlyThroughItsSockets) {
  auto first = ReservedPort::Reserve("127.0.0.1").value();
  EXPECT_GT(first.port(), 0);
  for (int i = 0; i < 50; ++i) {
    EXPECT_NE(ReservedPort::Reserve("127.0.0.1").value().port(), first.port());
  }
  const auto answers = [&] { return Answers("127.0.0.1", first.port(), std::chrono::seconds(10)); };
  EXPECT_FALSE(first.IsListening());
  for (int start = 0; start < 2; ++start) {
    auto socket = first.MakeSocket().value();
    EXPECT_FALSE(first.IsListening());
    ASSERT_EQ(listen(socket.fd(), 5), 0);
    EXPECT_TRUE(first.IsListening());
    EXPECT_TRUE(answers());
    EXPECT_EQ(ListenersAt(first.port()).size(), 1u);
    // Who listens has it alone.
    EXPECT_EQ(ReservedPort::Reserve("127.0.0.1", first.port()).status().code(),
              Code::kAlreadyExists);
    socket.Close();
    EXPECT_FALSE(first.IsListening());
    EXPECT_FALSE(answers());
  }
  EXPECT_TRUE(ListenersAt(first.port()).empty());
}

// Tasks that know nothing of the socket that they inherit listen by address.
TEST(ReservedPort, LetsItsTaskListenByAddress) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  const auto port = ReservedPort::Reserve("127.0.0.1").value();
  const auto socket = port.MakeSocket().value();
  const std::string address = "127.0.0.1:" + std::to_string(port.port());
  base::EventLoop loop;
  for (int start = 0; start < 2; ++start) {
    const auto rpc = MakeGrpcRpc(loop, {.listen = address});
    ASSERT_TRUE(rpc.ok()) << rpc.status().message();
    EXPECT_EQ((*rpc)->address(), address);
    EXPECT_TRUE(port.IsListening());
  }
  const auto tcp = TcpPort::Open({.listen = address, .plain_text = true}, 1, nullptr);
  ASSERT_TRUE(tcp.ok()) << tcp.status().message();
  EXPECT_TRUE(port.IsListening());
}

TEST(ReservedPort, SaysWhyItCannotBe) {
  EXPECT_EQ(ReservedPort::Reserve("no-such-host.invalid").status().code(), Code::kNotFound);
  EXPECT_EQ(ReservedPort::Reserve("192.0.2.123").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(
      ReservedPort::Reserve("192.0.2.123").status().message(),
      "[port] binding must succeed; got Cannot assign requested address (192.0.2.123 port 0)");
}

TEST(OwnNumber, OfANameOfThisMachine) {
  EXPECT_EQ(OwnNumberOf("127.0.0.1").value(), "127.0.0.1");
  EXPECT_EQ(OwnNumberOf("127.9.0.3").value(), "127.9.0.3");
  const std::string local = OwnNumberOf("localhost").value();
  EXPECT_TRUE(local == "127.0.0.1" || local == "[::1]") << local;
  if (ReservedPort::Reserve("::1").ok()) {
    EXPECT_EQ(OwnNumberOf("[::1]").value(), "[::1]");
  }
  EXPECT_EQ(OwnNumberOf("no-such-host.invalid").status().code(), Code::kNotFound);
  const auto other = OwnNumberOf("192.0.2.123");
  EXPECT_EQ(other.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(other.status().message(),
            "[host] the name must stand for this machine; got 192.0.2.123 (192.0.2.123); correct "
            "the name service or /etc/hosts, or write a number");
}

TEST(OwnNumber, TowardsAHost) {
  EXPECT_EQ(OwnNumberTowards("127.0.0.1").value(), "127.0.0.1");
  EXPECT_EQ(OwnNumberTowards("127.9.0.3").value(), "127.0.0.1");
  EXPECT_EQ(OwnNumberTowards("no-such-host.invalid").status().code(), Code::kNotFound);
}

TEST(Interfaces, HaveLoopback) {
  const auto interfaces = Interfaces();
  EXPECT_TRUE(std::any_of(interfaces.begin(), interfaces.end(), [](const Interface& interface) {
    return interface.loopback && interface.up && interface.address == "127.0.0.1";
  }));
  EXPECT_EQ(ResolveHost("127.0.0.1").value(), std::vector<std::string>{"127.0.0.1"});
  for (const char* none : {"no-such-host.invalid", "999.1.1.1", ""})
    EXPECT_EQ(ResolveHost(none).status().code(), Code::kNotFound) << none;
}

}  // namespace
}  // namespace lockstep::net
