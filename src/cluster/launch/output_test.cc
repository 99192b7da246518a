#include <gtest/gtest.h>

#include "base/randomness.h"
#include "cluster/launch/frames.h"
#include "cluster/launch/launch_board.h"
#include "cluster/launch/line_prefixer.h"

namespace lockstep::cluster {
namespace {

using namespace std::chrono_literals;

TEST(LinePrefixer, PutsANameBeforeEachLine) {
  LinePrefixer prefixer("worker 2 | ");
  EXPECT_EQ(prefixer.Feed("a"), "");
  EXPECT_EQ(prefixer.Feed("b\nc\n\nd"), "worker 2 | ab\nworker 2 | c\nworker 2 | \n");
  EXPECT_EQ(prefixer.last_line(), "c");
  EXPECT_EQ(prefixer.Finish(), "worker 2 | d\n");
  EXPECT_EQ(prefixer.Finish(), "");
  EXPECT_EQ(prefixer.last_line(), "d");
}

TEST(LinePrefixer, ShowsABarAsItLastWas) {
  LinePrefixer prefixer("> ");
  EXPECT_EQ(prefixer.Feed("1/9\r2/9\r9/9 done\r\n"), "> 9/9 done\n");
  EXPECT_EQ(prefixer.Feed("1/9\b\b\b2/9\n"), "> 2/9\n");
  EXPECT_EQ(prefixer.Feed("\b\b\n"), "> \n");
}

TEST(LinePrefixer, CutsALineWithoutEnd) {
  LinePrefixer prefixer("> ");
  const std::string out = prefixer.Feed(std::string(65536 + 3, 'x'));
  EXPECT_EQ(out.size(), 2u + 65536 + 1);
  EXPECT_EQ(prefixer.Finish(), "> xxx\n");
}

TEST(Frames, ComeBackWhateverTheCuts) {
  const RunOrder order{.directory = "/a b",
                       .arguments = {"sh", "-c", "x\ny"},
                       .unset = {"SLURM_*"},
                       .set = {{"A", ""}, {"B", std::string("\0x", 2)}}};
  const std::string bytes =
      PackFrame(FrameKind::kOutput, "") + PackFrame(FrameKind::kRun, order.Pack());
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    FrameReader reader;
    Frame first, second, none;
    reader.Feed(std::string_view(bytes).substr(0, cut));
    const bool early = reader.Take(&first);
    reader.Feed(std::string_view(bytes).substr(cut));
    EXPECT_TRUE(early || reader.Take(&first));
    EXPECT_TRUE(reader.Take(&second));
    EXPECT_FALSE(reader.Take(&none));
    RunOrder read;
    ASSERT_TRUE(RunOrder::Unpack(second.body, &read));
    EXPECT_EQ(read.directory, order.directory);
    EXPECT_EQ(read.arguments, order.arguments);
    EXPECT_EQ(read.unset, order.unset);
    EXPECT_EQ(read.set, order.set);
  }
}

TEST(Frames, RefuseWhatIsNone) {
  FrameReader reader;
  Frame frame;
  reader.Feed("Welcome to host b\n");
  EXPECT_FALSE(reader.Take(&frame));
  EXPECT_TRUE(reader.broken());
  base::SeededRandomness randomness(3);
  const std::string packed = RunOrder{.arguments = {"a"}}.Pack();
  RunOrder order;
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(RunOrder::Unpack(std::string_view(packed).substr(0, size), &order));
  }
  for (int i = 0; i < 1000; ++i) {
    std::string wrong = packed;
    wrong[randomness.Below(wrong.size())] = static_cast<char>(randomness.Next());
    (void)RunOrder::Unpack(wrong, &order);
  }
}

TEST(LaunchBoard, NamesWhoIsMissing) {
  const base::Time begin{};
  LaunchBoard board({{"worker", 0}, {"worker", 1}, {"worker", 2}}, {"a:1", "a:2", "b:3"});
  for (int i = 0; i < 3; ++i) board.Started(i, begin);
  // Nobody listens: a program that knows nothing of clusters.
  EXPECT_EQ(board.Line(begin + 60s), std::nullopt);
  board.Here(0);
  board.Here(1);
  EXPECT_EQ(board.Line(begin + 1s), std::nullopt);
  EXPECT_EQ(board.Line(begin + 2s),
            "2 of 3 here; missing worker 2 at b:3, connection refused, for 2 s");
  EXPECT_EQ(board.Line(begin + 3s), std::nullopt);
  EXPECT_EQ(board.Line(begin + 6s),
            "2 of 3 here; missing worker 2 at b:3, connection refused, for 6 s");
  board.Here(2);
  EXPECT_EQ(board.Line(begin + 7s), "3 of 3 here after 7 s");
  EXPECT_EQ(board.Line(begin + 70s), std::nullopt);
  // One that ended is not waited for, one that was started again is.
  board.Gone(1, "signal 9");
  EXPECT_EQ(board.Line(begin + 80s), std::nullopt);
  board.Started(1, begin + 80s);
  EXPECT_EQ(board.Line(begin + 83s),
            "2 of 3 here; missing worker 1 at a:2, connection refused, for 3 s");
  // One that joins is not waited for before it was started.
  board.Here(1);
  EXPECT_EQ(board.Line(begin + 84s), "3 of 3 here after 84 s");
  board.Add({"worker", 3});
  EXPECT_EQ(board.Line(begin + 90s), std::nullopt);
  board.SetAddress(3, "b:4");
  board.Started(3, begin + 90s);
  EXPECT_EQ(board.Line(begin + 93s),
            "3 of 4 here; missing worker 3 at b:4, connection refused, for 3 s");
}

}  // namespace
}  // namespace lockstep::cluster
