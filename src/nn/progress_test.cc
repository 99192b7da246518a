#include "nn/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep {
namespace {

std::string Bar(int parts) {
  std::string bar;
  for (int i = 0; i < parts; ++i) bar += "━";
  return bar;
}

// The lines that semantics of Keras's progress bar give as examples.
TEST(Progress, EndsLikeKeras) {
  EXPECT_EQ(FormatProgress({.done = 3,
                            .steps = 3,
                            .seconds = 0.4,
                            .seconds_per_step = 7e-3,
                            .last = true,
                            .logs = {{"loss", 1.57461}, {"mae", 1.0423}}}),
            "3/3 " + Bar(20) + " 0s 7ms/step - loss: 1.5746 - mae: 1.0423");
  EXPECT_EQ(FormatProgress({.done = 2,
                            .steps = 2,
                            .seconds = 0.05,
                            .seconds_per_step = 25e-3,
                            .last = true,
                            .bar = false,
                            .logs = {{"accuracy", 0}, {"loss", 0.5359}, {"val_loss", 3.3183}}}),
            "2/2 - 0s - 25ms/step - accuracy: 0.0000e+00 - loss: 0.5359 - val_loss: 3.3183");
}

TEST(Progress, ShowsTheTimeToComeWhileItRuns) {
  EXPECT_EQ(FormatProgress({.done = 7, .steps = 100, .seconds_per_step = 0.5}),
            "  7/100 " + Bar(20) + " 46s 500ms/step");
  EXPECT_EQ(FormatProgress({.done = 0, .steps = 100, .seconds_per_step = 1.25}),
            "  0/100 " + Bar(20) + " 2:05 1s/step");
  EXPECT_EQ(FormatProgress({.done = 1, .steps = 10, .seconds_per_step = 500}),
            " 1/10 " + Bar(20) + " 1:15:00 500s/step");
  EXPECT_EQ(FormatProgress(
                {.done = 9, .steps = 10, .seconds = 75.6, .seconds_per_step = 2e-5, .last = true}),
            " 9/10 " + Bar(20) + " 76s 20us/step");
}

TEST(Progress, CountsWithoutAnEndWhenThereIsNone) {
  EXPECT_EQ(FormatProgress({.done = 12, .steps = -1, .seconds = 3, .seconds_per_step = 0.25}),
            "     12/Unknown 3s 250ms/step");
}

TEST(Progress, ColoursWhatIsDone) {
  EXPECT_EQ(FormatProgress({.done = 1, .steps = 4, .seconds_per_step = 1e-3, .colours = true}),
            "\033[1m1/4\033[0m \033[32m" + Bar(5) + "\033[37m" + Bar(15) + "\033[0m 0s 1ms/step");
}

TEST(Progress, FormatsFiguresAndTimes) {
  EXPECT_EQ(FormatFigure(0.0011), "0.0011");
  EXPECT_EQ(FormatFigure(0.001), "1.0000e-03");
  EXPECT_EQ(FormatFigure(-2.5), "-2.5000");
  EXPECT_EQ(FormatFigure(NAN), "nan");
  EXPECT_EQ(FormatStepTime(0), "0s");
  EXPECT_EQ(FormatStepTime(9.9e-4), "990us");
}

}  // namespace
}  // namespace lockstep
