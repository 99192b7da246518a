#include "cli/nearest.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(Nearest, NamesWhatWasMeant) {
  const std::vector<std::string> names = {"--steps", "--staleness", "--workers",
                                          "--ps",    "train",       "top"};
  const std::pair<const char*, const char*> cases[] = {{"--step", "--steps"},
                                                       {"--wrokers", "--workers"},
                                                       {"--sta", "--staleness"},
                                                       {"TRAIN", "train"},
                                                       {"tra", "train"},
                                                       {"trainn", "train"},
                                                       {"--s", ""},
                                                       {"fly", ""},
                                                       {"", ""}};
  for (const auto& [typed, meant] : cases) EXPECT_EQ(Nearest(typed, names), meant) << typed;
  EXPECT_EQ(DidYouMean("--step", names), "; did you mean --steps?");
  EXPECT_EQ(DidYouMean("fly", names), "");
}

}  // namespace
}  // namespace lockstep::cli
