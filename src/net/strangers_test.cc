#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "base/event_loop.h"
#include "base/randomness.h"
#include "net/address.h"
#include "net/little_endian.h"
#include "net/port.h"
#include "net/shared_memory_layout.h"
#include "net/socket_packets.h"
#include "net/tcp_socket.h"

/// What becomes of a job when others talk to its ports.

namespace lockstep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Two ranks that exchange numbers as fast as they can.
class StrangersTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    PortOptions options;
    options.use_shared_memory = false;
    options.tcp.listen = "127.0.0.1:0";
    options.tcp.plain_text = !GetParam();
    options.tcp.stranger_limit = stranger_limit_;
    options.tcp.limits.silence = seconds(60);
    options.tcp.most_strangers = 16;
    options.job = 42;
    if (GetParam()) options.credentials = credentials();
    Membership membership{1, 0, {}};
    for (int rank : {0, 1}) {
      ports_[rank] = Port::Open(loop_, options).value();
      membership.addresses.push_back(ports_[rank]->address());
    }
    for (int rank : {0, 1}) {
      membership.rank = rank;
      transports_[rank] = ports_[rank]->Join(membership).value();
      transports_[rank]->Listen(Channel::kTest, [this, rank](int, const Message& message) {
        ++taken_;
        transports_[rank]->Send(1 - rank, message);
        return Receipt::kTaken;
      });
    }
    address_ = Address::Parse(ports_[0]->address())->tcp;
    auto payload = std::make_shared<Bytes>(100);
    transports_[0]->Send(1, {0, Channel::kTest, payload, {}});
    ExpectProgress();
  }
  void TearDown() override {
    ExpectProgress();
    for (int rank : {0, 1}) EXPECT_EQ(transports_[rank]->aborted(), nullptr);
  }
  static const Credentials& credentials() {
    static const Credentials made = MakeCredentials().value();
    return made;
  }
  void ExpectProgress() {
    const int before = taken_;
    EXPECT_TRUE(loop_.RunUntil([&] { return taken_ > before + 20; }, seconds(60)));
  }
  FileDescriptor Connect() {
    FileDescriptor socket;
    EXPECT_EQ(ConnectTcp(address_, &socket), 0);
    loop_.RunUntil([] { return false; }, milliseconds(1));
    return socket;
  }
  // Writes all of `bytes` and waits for the other side to close.
  bool IsClosedAfter(Stream& stream, const Bytes& bytes) {
    size_t written = 0;
    return loop_.RunUntil(
        [&] {
          if (stream.Handshake() == Flow::kBroken) return true;
          size_t put = 0;
          if (written < bytes.size() &&
              stream.Write(std::span(bytes).subspan(written), &put) == Flow::kBroken)
            return true;
          written += put;
          std::byte room[256];
          size_t got = 0;
          const Flow flow = stream.Read(room, &got);
          return flow == Flow::kEnded || flow == Flow::kBroken;
        },
        seconds(60));
  }
  bool IsClosedAfter(const Bytes& bytes) {
    const auto stream = MakePlainStream(Connect());
    return IsClosedAfter(*stream, bytes);
  }

  base::EventLoop loop_;
  std::unique_ptr<Port> ports_[2];
  std::unique_ptr<Transport> transports_[2];
  std::string address_;
  base::Duration stranger_limit_ = seconds(60);
  int taken_ = 0;
};

// Where strangers must be quick.
class HastyTest : public StrangersTest {
 protected:
  HastyTest() { stranger_limit_ = milliseconds(300); }
};

Bytes Header(uint8_t kind, uint32_t payload, uint64_t body) {
  Bytes bytes;
  FieldWriter(&bytes)
      .Put(kind)
      .Put(uint8_t{1})
      .Put(uint16_t{0})
      .Put(payload)
      .Put(body)
      .Put(uint64_t{0});
  return bytes;
}

Bytes HelloBytes(uint64_t job, uint64_t membership, uint32_t rank) {
  Bytes bytes = Header(1, 40, 0);
  FieldWriter(&bytes)
      .Put(uint64_t{0x6c6f636b73746570})
      .Put(uint32_t{1})
      .Put(job)
      .Put(membership)
      .Put(rank)
      .Put(uint32_t{2});
  bytes.resize(24 + 40);
  return bytes;
}

TEST_P(StrangersTest, BytesWithoutSenseCloseTheConnection) {
  base::SeededRandomness randomness(5);
  for (int i = 0; i < 6; ++i) {
    Bytes noise(1 + randomness.Below(300));
    for (std::byte& byte : noise) byte = static_cast<std::byte>(randomness.Below(256));
    EXPECT_TRUE(IsClosedAfter(noise));
  }
}

TEST_P(HastyTest, HalfAMessageAndSilenceEndByTheClock) {
  Bytes half = HelloBytes(42, 1, 1);
  half.resize(40);
  EXPECT_TRUE(IsClosedAfter(half));
  EXPECT_TRUE(IsClosedAfter(Bytes()));
}

TEST_P(StrangersTest, LengthsBeyondTheLimitAreRefusedUnread) {
  for (uint8_t kind : {1, 3}) {
    EXPECT_TRUE(IsClosedAfter(Header(kind, 0x80000000u, 0)));
    EXPECT_TRUE(IsClosedAfter(Header(kind, 0, uint64_t{1} << 31)));
  }
}

TEST_P(StrangersTest, AnotherJobOrRankOrMembershipIsSentAway) {
  EXPECT_TRUE(IsClosedAfter(HelloBytes(41, 1, 1)));
  EXPECT_TRUE(IsClosedAfter(HelloBytes(42, 0, 1)));
  EXPECT_TRUE(IsClosedAfter(HelloBytes(42, 1, 0)));
  EXPECT_TRUE(IsClosedAfter(HelloBytes(42, 1, 2)));
}

TEST_P(StrangersTest, ManyConnectionsAreLimited) {
  std::deque<FileDescriptor> open;
  for (int i = 0; i < 400; ++i) {
    open.push_back(Connect());
    if (open.size() > 150) open.pop_front();
  }
  ExpectProgress();
  std::deque<std::unique_ptr<Stream>> streams;
  for (FileDescriptor& socket : open) streams.push_back(MakePlainStream(std::move(socket)));
  const auto is_closed = [](const std::unique_ptr<Stream>& stream) {
    std::byte room[16];
    size_t got = 0;
    const Flow flow = stream->Read(room, &got);
    return flow == Flow::kEnded || flow == Flow::kBroken;
  };
  EXPECT_TRUE(loop_.RunUntil(
      [&] {
        std::erase_if(streams, is_closed);
        return streams.size() <= 16 + 2;
      },
      seconds(60)));
}

INSTANTIATE_TEST_SUITE_P(Plain, HastyTest, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(PlainAndTls, StrangersTest, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Tls" : "Plain");
});

using CertificatesTest = StrangersTest;

TEST_P(CertificatesTest, OnlyThoseOfTheJobAreTaken) {
  Credentials other = MakeCredentials().value();
  other.authority = credentials().authority;  // trusts us, is not trusted by us
  const auto stranger = Tls::Create(other).value();
  const auto stream = stranger->MakeStream(Connect(), false);
  EXPECT_TRUE(IsClosedAfter(*stream, HelloBytes(42, 1, 1)));
  // The same in the job's name is heard, and here sent away only because rank 1 is there already
  // and a second one ends its epoch: that is for a rank of the job to do.
  const auto ours = Tls::Create(credentials()).value();
  const auto heard = ours->MakeStream(Connect(), false);
  EXPECT_TRUE(IsClosedAfter(*heard, HelloBytes(42, 0, 1)));
  EXPECT_EQ(transports_[0]->aborted(), nullptr);
}

TEST_P(CertificatesTest, AServerOfAnotherJobIsNotTalkedTo) {
  PortOptions options;
  options.use_shared_memory = false;
  options.tcp.listen = "127.0.0.1:0";
  options.job = 42;
  options.connect_limit = seconds(3);
  options.credentials = MakeCredentials().value();
  const auto port = Port::Open(loop_, options).value();
  const Membership membership{1, 1, {ports_[0]->address(), port->address()}};
  const auto transport = port->Join(membership).value();
  EXPECT_TRUE(loop_.RunUntil([&] { return transport->aborted() != nullptr; }, seconds(60)));
  const Status& why = transport->aborted()->reason;
  EXPECT_EQ(why.code(), Code::kUnavailable);
  EXPECT_NE(why.message().find("[net] rank 0 must be connected within 3.0 s; got certificate "
                               "verify failed"),
            std::string::npos)
      << why.message();
}

INSTANTIATE_TEST_SUITE_P(Tls, CertificatesTest, ::testing::Values(true));

TEST(PortErrors, NameTheRuleTheValueAndTheCure) {
  base::EventLoop loop;
  const auto message = [&](const PortOptions& options) {
    const auto port = Port::Open(loop, options);
    EXPECT_FALSE(port.ok());
    return port.ok() ? "" : port.status().ToString();
  };
  PortOptions options;
  options.use_shared_memory = false;
  EXPECT_EQ(message(options),
            "InvalidArgument: [net] a port must offer a road; got neither shared memory nor an "
            "address for TCP; give one of them");
  options.tcp.listen = "127.0.0.1:0";
  EXPECT_EQ(message(options),
            "InvalidArgument: [net] TCP must be encrypted; got no credentials for 127.0.0.1:0; "
            "make them with `lockstep cert --out DIR` and set LOCKSTEP_CREDENTIALS=DIR in every "
            "task, or say that the network is trusted");
  options.tcp.plain_text = true;
  for (const char* address : {"localhost", "somewhere:1", ":0", "127.0.0.1:port"}) {
    options.tcp.listen = address;
    EXPECT_EQ(message(options),
              std::string("InvalidArgument: [net] a port must listen on an address in numbers, as "
                          "10.0.0.1:0; got '") +
                  address + "'");
  }
  options.tcp.listen = "192.0.2.1:0";
  EXPECT_NE(message(options).find("must be bound to 192.0.2.1:0; got Cannot assign"),
            std::string::npos);
  options.tcp.listen = "127.0.0.1:0";
  const auto port = Port::Open(loop, options).value();
  const auto join = [&](int rank, std::vector<std::string> addresses) {
    const auto transport = port->Join({1, rank, std::move(addresses)});
    EXPECT_FALSE(transport.ok());
    return transport.ok() ? "" : transport.status().ToString();
  };
  EXPECT_NE(join(1, {port->address()}).find("got rank 1 of 1"), std::string::npos);
  EXPECT_NE(join(0, {"tcp=1.2.3.4:5"}).find("at its rank"), std::string::npos);
  EXPECT_NE(join(0, {port->address(), "rubbish"}).find("got 'rubbish'"), std::string::npos);
  EXPECT_NE(join(0, {port->address(), "shm=here/x"}).find("have a road in common"),
            std::string::npos);
}

TEST(SharedMemoryStrangers, AreSentAwayAndTheOthersGoOn) {
  base::EventLoop loop;
  PortOptions options;
  options.shared_memory.beat_limit = seconds(60);
  options.job = 7;
  options.connect_limit = seconds(60);
  std::vector<std::unique_ptr<Port>> ports;
  Membership membership{3, 0, {}};
  for (int rank : {0, 1}) {
    ports.push_back(Port::Open(loop, options).value());
    membership.addresses.push_back(ports[rank]->address());
  }
  const std::string name = Address::Parse(ports[0]->address())->shared_memory;
  std::vector<FileDescriptor> open(40);
  base::SeededRandomness randomness(6);
  for (FileDescriptor& socket : open) {
    ASSERT_EQ(ConnectPackets(name, &socket), 0);
    uint64_t packet[6] = {kControlMagic, 1, 7, 3, uint64_t{2} << 32 | 1, 0};
    packet[randomness.Below(5)] ^= uint64_t{1} << randomness.Below(64);  // and no file
    SendPacket(socket.get(), packet, randomness.Below(sizeof(packet) + 1), -1);
  }
  const auto first = ports[0]->Join(membership).value();
  membership.rank = 1;
  const auto second = ports[1]->Join(membership).value();
  int taken = 0;
  second->Listen(Channel::kTest, [&](int, const Message&) {
    ++taken;
    return Receipt::kTaken;
  });
  first->Send(1, {0, Channel::kTest, {}, {}});
  EXPECT_TRUE(loop.RunUntil([&] { return taken == 1; }, seconds(60)));
  EXPECT_EQ(first->aborted(), nullptr);
  EXPECT_EQ(second->aborted(), nullptr);
}

}  // namespace
}  // namespace lockstep::net
