#include "net/user_token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/event_loop.h"
#include "base/folder_test.h"
#include "net/grpc_rpc.h"

namespace lockstep::net {
namespace {

using std::filesystem::permissions;
using std::filesystem::perms;

class UserTokens : public testing::Test {
 protected:
  UserTokens() {
    for (const char* name : {"HOME", "XDG_RUNTIME_DIR", "TMPDIR"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value == nullptr ? "" : value);
    }
    setenv("HOME", folder_.path().c_str(), 1);
    setenv("TMPDIR", folder_.path().c_str(), 1);
    unsetenv("XDG_RUNTIME_DIR");
  }
  ~UserTokens() override {
    for (const auto& [name, value] : saved_)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }

  static unsigned ModeOf(const std::string& path) {
    struct stat state {};
    EXPECT_EQ(lstat(path.c_str(), &state), 0) << path;
    return state.st_mode & 07777;
  }

  const base::TestFolder folder_;
  const std::string place_ = folder_.Path(".local/state/lockstep");
  const std::string file_ = place_ + "/token";

 private:
  std::vector<std::pair<std::string, std::string>> saved_;
};

TEST_F(UserTokens, AreWrittenOnceForTheirOwnerAlone) {
  const std::string token = UserToken().value();
  EXPECT_EQ(token.size(), 64u);
  EXPECT_EQ(UserToken().value(), token);
  EXPECT_EQ(ModeOf(place_), 0700u);
  EXPECT_EQ(ModeOf(file_), 0600u);
  for (const auto& entry : std::filesystem::directory_iterator(place_))
    EXPECT_EQ(entry.path().string(), file_);
}

TEST_F(UserTokens, AreRefusedWhereOthersHaveAccess) {
  const auto refused = [](const std::string& text) {
    const auto token = UserToken();
    EXPECT_EQ(token.status().code(), Code::kPermissionDenied) << text;
    EXPECT_NE(token.status().message().find(text), std::string::npos) << token.status().message();
  };
  const std::string token = UserToken().value();
  permissions(file_, perms::group_read, std::filesystem::perm_options::add);
  refused("got mode 0640");
  std::filesystem::rename(file_, file_ + ".other");
  permissions(file_ + ".other", perms::owner_read | perms::owner_write);
  std::filesystem::create_symlink(file_ + ".other", file_);
  refused("symbolic links");
  std::filesystem::remove(file_);
  std::ofstream(file_) << token;
  permissions(file_, perms::owner_read | perms::owner_write);
  permissions(place_, perms::others_exec, std::filesystem::perm_options::add);
  refused("got mode 0701");
  permissions(place_, perms::owner_all);
  EXPECT_EQ(UserToken().value(), token);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file_.c_str(), 65534, 65534), 0);
    refused("got owner 65534");
  }
  std::filesystem::rename(place_, place_ + ".other");
  std::filesystem::create_directory_symlink(place_ + ".other", place_);
  refused(place_);
}

TEST_F(UserTokens, AreElsewhereIfTheHomeCannotBeWritten) {
  std::ofstream(folder_.Path(".local")) << "a file";
  const std::string token = UserToken().value();
  const std::string place = folder_.Path("lockstep-" + std::to_string(geteuid()));
  EXPECT_EQ(ModeOf(place), 0700u);
  EXPECT_EQ(ModeOf(place + "/token"), 0600u);
  EXPECT_EQ(UserToken().value(), token);
}

TEST_F(UserTokens, DifferByPort) {
  EXPECT_EQ(TokenFor("a", "127.0.0.1:7"), TokenFor("a", "localhost:7"));
  EXPECT_NE(TokenFor("a", "127.0.0.1:7"), TokenFor("a", "127.0.0.1:8"));
  EXPECT_NE(TokenFor("a", "127.0.0.1:7"), TokenFor("b", "127.0.0.1:7"));
}

// The answer of a server at `server` to a client with another home: of another user, in effect.
Status AnswerToAnother(const std::string& home, bool insecure) {
  base::EventLoop loop;
  const auto server = MakeGrpcRpc(loop, {.listen = "127.0.0.1:0", .insecure = insecure}).value();
  server->Serve("Echo", [](std::string request, const Rpc::Answer& answer) { answer(request); });
  const auto ask = [&](Rpc& client) {
    std::optional<Result<std::string>> got;
    client.Call(server->address(), "Echo", "hello", std::chrono::seconds(10),
                [&got](const Result<std::string>& answer) { got = answer; });
    loop.RunUntil([&got] { return got.has_value(); }, std::chrono::seconds(20));
    return got ? got->status() : Status(Code::kDeadlineExceeded, "no answer");
  };
  EXPECT_EQ(ask(*MakeGrpcRpc(loop, {.listen = "127.0.0.1:0"}).value()), Status::Ok());
  setenv("HOME", home.c_str(), 1);
  return ask(*MakeGrpcRpc(loop, {.listen = "127.0.0.1:0"}).value());
}

TEST_F(UserTokens, AdmitTheUserWithoutAFlag) {
  const base::TestFolder another;
  const Status refused = AnswerToAnother(another.path(), /*insecure=*/false);
  EXPECT_EQ(refused.code(), Code::kUnauthenticated);
  EXPECT_NE(refused.message().find("got the token of another user; run the client as that user"),
            std::string::npos)
      << refused.message();
}

TEST_F(UserTokens, AreNotAskedForByAnInsecureServer) {
  const base::TestFolder another;
  EXPECT_EQ(AnswerToAnother(another.path(), /*insecure=*/true), Status::Ok());
  base::EventLoop loop;
  const auto beyond = MakeGrpcRpc(
      loop, {.listen = "10.77.0.1:0", .trusted_network = true, .token = "t", .insecure = true});
  EXPECT_EQ(beyond.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::net
