#include "net/rpc.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "net/certificates.h"
#include "net/grpc_rpc.h"
#include "net/grpc_test.h"

namespace lockstep::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Wire { kPlain, kUnix, kTls };

GrpcOptions OptionsFor(Wire wire, const Credentials& credentials, const std::string& folder) {
  GrpcOptions options;
  options.listen = wire == Wire::kUnix ? "unix:" + folder + "/socket" : "127.0.0.1:0";
  options.token = credentials.token;
  if (wire == Wire::kTls) options.credentials = credentials;
  return options;
}

class RpcTest : public ::testing::TestWithParam<Wire> {
 protected:
  static void SetUpTestSuite() { credentials_ = new Credentials(MakeCredentials().OrThrow()); }

  void SetUp() override {
    LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
    char name[] = "/tmp/lockstep-rpc-XXXXXX";
    folder_ = mkdtemp(name);
    server_ = Make(OptionsFor(GetParam(), *credentials_, folder_));
    GrpcOptions client = OptionsFor(GetParam(), *credentials_, folder_ + "/client");
    std::filesystem::create_directory(folder_ + "/client");
    client_ = Make(client);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Rpc> Make(const GrpcOptions& options) {
    return MakeGrpcRpc(loop_, options).value();
  }
  Result<std::string> Call(Rpc& from, const std::string& method, const std::string& request,
                           base::Duration timeout = seconds(60)) {
    std::optional<Result<std::string>> result;
    from.Call(server_ == nullptr ? address_ : server_->address(), method, request, timeout,
              [&](Result<std::string> given) { result = std::move(given); });
    EXPECT_TRUE(loop_.RunUntil([&] { return result.has_value(); }, seconds(10)));
    return result.value_or(Status(Code::kInternal, "[test] no answer"));
  }

  static Credentials* credentials_;
  base::EventLoop loop_;
  std::string folder_;
  std::string address_;
  std::unique_ptr<Rpc> server_;
  std::unique_ptr<Rpc> client_;
};
Credentials* RpcTest::credentials_ = nullptr;

TEST_P(RpcTest, CarriesRequestsAndAnswersOfAnySize) {
  server_->Serve("turn", [](std::string request, const Rpc::Answer& answer) {
    answer(std::string(request.rbegin(), request.rend()));
  });
  EXPECT_EQ(*Call(*client_, "turn", "abc"), "cba");
  EXPECT_EQ(*Call(*client_, "turn", ""), "");
  std::string long_text(3 << 20, 'x');
  long_text[0] = '\0';
  EXPECT_TRUE(*Call(*client_, "turn", long_text) ==
              std::string(long_text.rbegin(), long_text.rend()));  // else megabytes are printed
}

TEST_P(RpcTest, CarriesBodiesBesideTheText) {
  server_->ServeParcels("turn", [](Parcel request, const Rpc::ParcelAnswer& answer) {
    std::reverse(request.bodies.begin(), request.bodies.end());
    request.text = std::string(request.text.rbegin(), request.text.rend());
    answer(std::move(request));
  });
  const auto bytes = [](size_t size, char fill) {
    auto made = std::make_shared<Bytes>(size, static_cast<std::byte>(fill));
    if (size > 0) made->back() = std::byte{1};
    return Payload(std::move(made));
  };
  for (const Parcel& parcel :
       {Parcel{"abc", {}}, Parcel{"", {bytes(5, 'a')}},
        Parcel{"xy", {bytes(3 << 20, 'b'), bytes(0, 'c'), bytes(100, 'd')}}}) {
    std::optional<Result<Parcel>> result;
    client_->CallParcel(server_->address(), "turn", parcel, seconds(60),
                        [&](Result<Parcel> given) { result = std::move(given); });
    ASSERT_TRUE(loop_.RunUntil([&] { return result.has_value(); }, seconds(60)));
    const Parcel back = result->OrThrow();
    EXPECT_EQ(back.text, std::string(parcel.text.rbegin(), parcel.text.rend()));
    ASSERT_EQ(back.bodies.size(), parcel.bodies.size());
    for (size_t i = 0; i < back.bodies.size(); ++i) {
      const Payload& sent = parcel.bodies[back.bodies.size() - 1 - i];
      EXPECT_TRUE(std::ranges::equal(back.bodies[i].bytes(), sent.bytes())) << i;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(back.bodies[i].data()) % 64, 0u);
    }
  }
  // A text where a parcel belongs.
  EXPECT_EQ(Call(*client_, "turn", "nonsense").status().code(), Code::kDataLoss);
  std::optional<Result<Parcel>> result;
  client_->CallParcel(server_->address(), "turn", {"", {bytes(17 << 20, 'x')}}, seconds(60),
                      [&](Result<Parcel> given) { result = std::move(given); });
  ASSERT_TRUE(loop_.RunUntil([&] { return result.has_value(); }, seconds(60)));
  EXPECT_EQ(result->status().code(), Code::kResourceExhausted);
}

TEST_P(RpcTest, AnswersLaterAndOutOfOrder) {
  std::vector<Rpc::Answer> held;
  server_->Serve(
      "hold", [&](const std::string&, Rpc::Answer answer) { held.push_back(std::move(answer)); });
  std::vector<std::string> results;
  for (const char* request : {"a", "b"}) {
    client_->Call(server_->address(), "hold", request, seconds(60),
                  [&](Result<std::string> result) { results.push_back(result.OrThrow()); });
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return held.size() == 2; }, seconds(60)));
  held[1](std::string("second"));
  ASSERT_TRUE(loop_.RunUntil([&] { return results.size() == 1; }, seconds(60)));
  held[0](std::string("first"));
  held[0](std::string("once more"));
  ASSERT_TRUE(loop_.RunUntil([&] { return results.size() == 2; }, seconds(60)));
  EXPECT_EQ(results, (std::vector<std::string>{"second", "first"}));
}

TEST_P(RpcTest, SaysWhatWentWrong) {
  server_->Serve("fail", [](const std::string&, const Rpc::Answer& answer) {
    answer(Status(Code::kDataLoss, "[test] why"));
  });
  server_->Serve("drop", [](const std::string&, const Rpc::Answer&) {});
  std::vector<Rpc::Answer> held;
  server_->Serve(
      "hold", [&](const std::string&, Rpc::Answer answer) { held.push_back(std::move(answer)); });
  Status status = Call(*client_, "fail", "").status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_EQ(status.message(), "[test] why (" + server_->address() + ")");
  status = Call(*client_, "drop", "").status();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_NE(status.message().find("a call must be answered"), std::string::npos);
  status = Call(*client_, "absent", "").status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find("got absent"), std::string::npos);
  EXPECT_EQ(Call(*client_, "hold", "", milliseconds(50)).status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(Call(*client_, "hold", std::string(17 << 20, 'x')).status().code(),
            Code::kResourceExhausted);
}

TEST_P(RpcTest, IsUnavailableOnceThePeerHasGone) {
  std::vector<Rpc::Answer> held;
  server_->Serve(
      "hold", [&](const std::string&, Rpc::Answer answer) { held.push_back(std::move(answer)); });
  std::optional<Result<std::string>> result;
  client_->Call(server_->address(), "hold", "", seconds(60),
                [&](Result<std::string> given) { result = std::move(given); });
  ASSERT_TRUE(loop_.RunUntil([&] { return held.size() == 1; }, seconds(60)));
  address_ = server_->address();
  server_.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return result.has_value(); }, seconds(60)));
  EXPECT_EQ(result->status().code(), Code::kUnavailable);
  EXPECT_EQ(Call(*client_, "hold", "").status().code(), Code::kUnavailable);
  held[0](std::string("too late"));
}

TEST_P(RpcTest, RefusesACallWithoutTheToken) {
  bool handled = false;
  server_->Serve("turn", [&](const std::string&, const Rpc::Answer& answer) {
    handled = true;
    answer(std::string());
  });
  std::filesystem::create_directory(folder_ + "/stranger");
  GrpcOptions options = OptionsFor(GetParam(), *credentials_, folder_ + "/stranger");
  for (const char* token : {"", "0123456789abcdef0123456789abcdef", "0"}) {
    options.token = token;
    const auto stranger = Make(options);
    const Status status = Call(*stranger, "turn", "").status();
    EXPECT_EQ(status.code(), Code::kUnauthenticated) << status.ToString();
    EXPECT_NE(status.message().find("got another"), std::string::npos) << status.ToString();
  }
  EXPECT_FALSE(handled);
}

TEST_P(RpcTest, GoesWithCallsUnderWay) {
  server_->Serve("turn",
                 [](const std::string&, const Rpc::Answer& answer) { answer(std::string()); });
  for (int i = 0; i < 20; ++i) {
    client_->Call(server_->address(), "turn", "", seconds(60),
                  [](const Result<std::string>&) { FAIL() << "its caller has gone"; });
  }
  client_.reset();
  server_.reset();
  loop_.RunUntil([] { return false; }, milliseconds(20));
}

std::string WireName(const ::testing::TestParamInfo<Wire>& info) {
  const char* names[] = {"Plain", "Unix", "Tls"};
  return names[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Grpc, RpcTest, ::testing::Values(Wire::kPlain, Wire::kUnix, Wire::kTls),
                         WireName);

TEST(GrpcRpc, RefusesStrangersCertificatesAndPlainCallers) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  base::EventLoop loop;
  GrpcOptions options;
  options.listen = "127.0.0.1:0";
  options.credentials = MakeCredentials().OrThrow();
  options.token = options.credentials->token;
  const auto server = MakeGrpcRpc(loop, options).value();
  bool handled = false;
  server->Serve("turn", [&](const std::string&, const Rpc::Answer& answer) {
    handled = true;
    answer(std::string());
  });
  GrpcOptions plain = options;
  plain.credentials.reset();
  GrpcOptions other = options;
  other.credentials = MakeCredentials().OrThrow();
  GrpcOptions half = options;  // knows the authority, has a key that it did not sign
  half.credentials->client_certificate = other.credentials->client_certificate;
  half.credentials->client_key = other.credentials->client_key;
  for (const GrpcOptions& stranger : {plain, other, half}) {
    const auto rpc = MakeGrpcRpc(loop, stranger).value();
    std::optional<Result<std::string>> result;
    rpc->Call(server->address(), "turn", "", seconds(50),
              [&](Result<std::string> given) { result = std::move(given); });
    ASSERT_TRUE(loop.RunUntil([&] { return result.has_value(); }, seconds(60)));
    EXPECT_EQ(result->status().code(), Code::kUnavailable) << result->status().ToString();
  }
  EXPECT_FALSE(handled);
}

TEST(GrpcRpc, ListensOnlyWhereItMay) {
  LOCKSTEP_SKIP_IF_GRPC_IS_NOT_WATCHED();
  base::EventLoop loop;
  const auto status_of = [&](const GrpcOptions& options) {
    return MakeGrpcRpc(loop, options).status();
  };
  for (const char* all : {"0.0.0.0:0", "[::]:0", ":7000", "*:0", "7000", ""}) {
    const Status status = status_of({.listen = all});
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find(std::string("got '") + all + "'"), std::string::npos);
  }
  Status status = status_of({.listen = "10.77.0.1:0", .token = "t"});
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(status.message().find("got 10.77.0.1:0 without certificates"), std::string::npos);
  status = status_of({.listen = "10.77.0.1:0", .trusted_network = true});
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(status.message().find("must share a token; got none"), std::string::npos);
  const auto first = MakeGrpcRpc(loop, {.listen = "127.0.0.1:0"}).value();
  status = status_of({.listen = first->address()});
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("got " + first->address()), std::string::npos);
  // Calls beyond this machine are as plain as the listener was.
  std::optional<Result<std::string>> result;
  first->Call("10.77.0.1:9", "turn", "", milliseconds(100),
              [&](Result<std::string> given) { result = std::move(given); });
  ASSERT_TRUE(loop.RunUntil([&] { return result.has_value(); }, seconds(60)));
  EXPECT_EQ(result->status().code(), Code::kFailedPrecondition);
}

TEST(Certificates, AreWrittenForTheirOwnerAndReadBack) {
  char name[] = "/tmp/lockstep-cert-XXXXXX";
  const std::string folder = mkdtemp(name);
  const Credentials made =
      MakeCredentials({.hosts = {"node-1.lan", "10.0.0.7", "fd00::1"}}).OrThrow();
  EXPECT_EQ(made.token.size(), 32u);
  ASSERT_TRUE(WriteCredentials(made, folder + "/keys").ok());
  const Credentials read = ReadCredentials(folder + "/keys").OrThrow();
  EXPECT_EQ(read.authority, made.authority);
  EXPECT_EQ(read.server_certificate, made.server_certificate);
  EXPECT_EQ(read.server_key, made.server_key);
  EXPECT_EQ(read.client_certificate, made.client_certificate);
  EXPECT_EQ(read.client_key, made.client_key);
  EXPECT_EQ(read.token, made.token);
  struct stat state;
  for (const char* secret : {"/keys/server.key", "/keys/client.key", "/keys/token"}) {
    ASSERT_EQ(stat((folder + secret).c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777u, 0600u) << secret;
  }
  EXPECT_EQ(WriteCredentials(made, folder + "/keys").code(), Code::kAlreadyExists);
  chmod((folder + "/keys/server.key").c_str(), 0644);
  EXPECT_EQ(ReadCredentials(folder + "/keys").status().code(), Code::kPermissionDenied);
  const Status status = ReadCredentials(folder + "/none").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find(folder + "/none/ca.pem"), std::string::npos);
  std::filesystem::remove_all(folder);
}

// Tasks with such keys would wait for each other without an end.
TEST(Certificates, RefuseKeysThatDoNotBelongTogether) {
  char name[] = "/tmp/lockstep-cert-XXXXXX";
  const std::string folder = mkdtemp(name);
  const Credentials one = MakeCredentials().OrThrow(), other = MakeCredentials().OrThrow();
  int made = 0;
  const auto read = [&](const Credentials& credentials) {
    const std::string place = folder + "/" + std::to_string(made++);
    EXPECT_TRUE(WriteCredentials(credentials, place).ok());
    const Status status = ReadCredentials(place).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find(" (" + place + "); take all files of one `lockstep cert"),
              std::string::npos);
    return status.message();
  };
  Credentials mixed = one;
  mixed.authority = other.authority;
  EXPECT_TRUE(read(mixed).starts_with(
      "[cert] server.pem must be signed by ca.pem, and of server.key; got unable to get local "
      "issuer certificate ("));
  mixed = one;
  mixed.client_key = other.client_key;
  EXPECT_TRUE(read(mixed).starts_with(
      "[cert] client.pem must be signed by ca.pem, and of client.key; got the key of another "
      "certificate ("));
  mixed = one;
  mixed.server_certificate = "x";
  EXPECT_TRUE(read(mixed).starts_with(
      "[cert] server.pem must be signed by ca.pem, and of server.key; got what is no PEM ("));
  mixed = one;
  mixed.token.clear();
  EXPECT_TRUE(
      read(mixed).starts_with("[cert] token must hold the job's secret; got an empty file ("));
  std::filesystem::remove_all(folder);
}

TEST(Certificates, RefuseWhatIsNoHost) {
  for (const char* host : {"", "a b", "a,CA:TRUE", "a\nb", "300.1.2"}) {
    const Status status = MakeCredentials({.hosts = {host}}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << host;
    EXPECT_NE(status.message().find(host), std::string::npos);
  }
  EXPECT_EQ(MakeCredentials({.hosts = {}, .days = 0}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::net
