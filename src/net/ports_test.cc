#include "net/ports.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

namespace lockstep::net {
namespace {

TEST(ReservedPort, IsNobodyElsesAndListensOnlyThroughItsSockets) {
  auto first = ReservedPort::Reserve("127.0.0.1").value();
  EXPECT_GT(first.port(), 0);
  for (int i = 0; i < 50; ++i) {
    EXPECT_NE(ReservedPort::Reserve("127.0.0.1").value().port(), first.port());
  }
  EXPECT_FALSE(first.IsListening());
  for (int start = 0; start < 2; ++start) {
    auto socket = first.MakeSocket().value();
    EXPECT_FALSE(first.IsListening());
    ASSERT_EQ(listen(socket.fd(), 5), 0);
    EXPECT_TRUE(first.IsListening());
    EXPECT_EQ(ListenersAt(first.port()).size(), 1u);
    // Who listens has it alone.
    EXPECT_EQ(ReservedPort::Reserve("127.0.0.1", first.port()).status().code(),
              Code::kAlreadyExists);
    socket.Close();
    EXPECT_FALSE(first.IsListening());
  }
  EXPECT_TRUE(ListenersAt(first.port()).empty());
}

TEST(ReservedPort, SaysWhyItCannotBe) {
  EXPECT_EQ(ReservedPort::Reserve("no-such-host.invalid").status().code(), Code::kNotFound);
  EXPECT_EQ(ReservedPort::Reserve("192.0.2.123").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(
      ReservedPort::Reserve("192.0.2.123").status().message(),
      "[port] binding must succeed; got Cannot assign requested address (192.0.2.123 port 0)");
}

TEST(Interfaces, HaveLoopback) {
  const auto interfaces = Interfaces();
  EXPECT_TRUE(std::any_of(interfaces.begin(), interfaces.end(), [](const Interface& interface) {
    return interface.loopback && interface.up && interface.address == "127.0.0.1";
  }));
  EXPECT_EQ(ResolveHost("127.0.0.1").value(), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(ResolveHost("no-such-host.invalid").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace lockstep::net
