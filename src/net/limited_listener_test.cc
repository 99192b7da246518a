#include "net/limited_listener.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <mutex>

#include "net/stream.h"

namespace lockstep::net {
namespace {

// Keeps who is handed on.
struct Guests {
  std::mutex mutex;
  std::vector<FileDescriptor> taken;  // guarded by mutex
  size_t count() {
    const std::lock_guard<std::mutex> lock(mutex);
    return taken.size();
  }
  LimitedListener::OnConnection Take() {
    return [this](FileDescriptor connection) {
      const std::lock_guard<std::mutex> lock(mutex);
      taken.push_back(std::move(connection));
    };
  }
};

TEST(LimitedListener, ListensAtWhatANameStandsFor) {
  Guests guests;
  const auto named = LimitedListener::Open("localhost:0").value();
  const std::string port = named->address().substr(named->address().rfind(':'));
  EXPECT_EQ(named->address(), "localhost" + port);
  named->Begin(guests.Take());
  FileDescriptor caller;
  ASSERT_EQ(ConnectTcp("127.0.0.1" + port, &caller), 0);
  base::EventLoop loop;
  for (int i = 0; i < 60000 && guests.count() == 0; ++i) {
    loop.RunUntil([] { return false; }, std::chrono::milliseconds(1));
  }
  EXPECT_EQ(guests.count(), 1u);
  const auto again = LimitedListener::Open("127.0.0.1" + port);
  EXPECT_EQ(again.status().code(), Code::kUnavailable);
  EXPECT_EQ(LimitedListener::Open("no-such-host.invalid:0").status().code(), Code::kNotFound);
}

TEST(LimitedListener, SendsCallersAwayWhenFilesAreShort) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs files to look at objects";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  Guests guests;
  base::EventLoop loop;
  const auto listener = LimitedListener::Open("127.0.0.1:0").value();
  listener->Begin(guests.Take());
  // Both ends are this process's: each call takes two files.
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_cur, 400);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<std::unique_ptr<Stream>> callers;
  const auto count_closed = [&] {
    int closed = 0;
    for (const auto& caller : callers) {
      std::byte room[8];
      size_t got = 0;
      const Flow flow = caller->Read(room, &got);
      closed += flow == Flow::kEnded || flow == Flow::kBroken;
    }
    return closed;
  };
  for (int i = 0; i < 250; ++i) {
    FileDescriptor socket;
    if (ConnectTcp(listener->address(), &socket) != 0) break;
    callers.push_back(MakePlainStream(std::move(socket)));
    loop.RunUntil([] { return false; }, std::chrono::microseconds(200));
  }
  int closed = 0;
  for (int i = 0; i < 60000 && closed <= 20; ++i) {
    loop.RunUntil([] { return false; }, std::chrono::milliseconds(1));
    closed = count_closed();
  }
  EXPECT_GT(closed, 20);
  EXPECT_GT(guests.count(), 50u);
  EXPECT_LT(guests.count(), 200u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace lockstep::net
