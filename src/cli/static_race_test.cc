// Runs `lockstep race --static` and looks at its status, text and JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace lockstep::cli {
namespace {

using testing::HasSubstr;

struct Ran {
  int status = -1;
  std::string out;  // what went to the error stream, too
};

Ran RunRace(const std::string& arguments) {
  const std::string command = "'" LOCKSTEP_PROGRAM "' race " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Ran ran;
  char bytes[4096];
  while (const size_t count = fread(bytes, 1, sizeof bytes, pipe)) ran.out.append(bytes, count);
  const int ended = pclose(pipe);
  ran.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return ran;
}

std::string Corpus(const std::string& name) {
  return "--static '" LOCKSTEP_SOURCE_DIR "/src/check/corpus/" + name + ".pbtxt'";
}

TEST(StaticRaceProgram, PrintsOneObjectAPair) {
  const Ran ran = RunRace(Corpus("torn_group") + " --json");
  EXPECT_EQ(ran.status, 1);
  const size_t end = ran.out.find('\n');
  const auto first = nlohmann::json::parse(ran.out.substr(0, end));
  const auto second = nlohmann::json::parse(ran.out.substr(end + 1));
  EXPECT_EQ(first["kind"], "race");
  EXPECT_EQ(first["variable"], "w");
  EXPECT_EQ(first["effect"], "torn group");
  EXPECT_EQ(first["first"]["node"], "set_w");
  EXPECT_EQ(first["first"]["op"], "AssignVariableOp");
  EXPECT_GT(first["first"]["line"], 1);
  EXPECT_EQ(first["cure"]["from"], "set_w");
  EXPECT_EQ(first["cure"]["to"], "get_w");
  EXPECT_EQ(second["variable"], "b");
}

TEST(StaticRaceProgram, ItsStatusSaysWhetherThereAreRaces) {
  const Ran sound = RunRace(Corpus("sound_while"));
  EXPECT_EQ(sound.status, 0);
  EXPECT_THAT(sound.out, HasSubstr(": 0 races\n"));
  EXPECT_EQ(RunRace(Corpus("sound_while") + " --json").out, "");
  const Ran rounding = RunRace(Corpus("two_additions"));
  EXPECT_EQ(rounding.status, 0);
  EXPECT_THAT(rounding.out, HasSubstr("0 races, 1 pair that"));
  const Ran racy = RunRace(Corpus("read_assign"));
  EXPECT_EQ(racy.status, 1);
  EXPECT_THAT(racy.out, HasSubstr("cure: a control edge from \"read\" to \"assign\""));
  EXPECT_EQ(RunRace(Corpus("read_assign") + " --run read --run assign").status, 0);
  EXPECT_EQ(RunRace(Corpus("sound_two_updates") + " --replicas 2").status, 1);
}

TEST(StaticRaceProgram, BadUseHasAStatusOfItsOwn) {
  EXPECT_EQ(RunRace("").status, 2);
  EXPECT_EQ(RunRace("--static").status, 2);
  EXPECT_EQ(RunRace(Corpus("read_assign") + " --replicas 0").status, 2);
  const Ran absent = RunRace("--static /no/such.pbtxt");
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.out, HasSubstr("/no/such.pbtxt"));
  const Ran broken = RunRace("--static '" LOCKSTEP_SOURCE_DIR "/LICENSE'");
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.out, HasSubstr("LICENSE:"));
  EXPECT_EQ(RunRace(Corpus("read_assign") + " --run nothing").status, 2);
  const Ran folder = RunRace("--static '" LOCKSTEP_SOURCE_DIR "'");
  EXPECT_EQ(folder.status, 2);
  EXPECT_THAT(folder.out, HasSubstr(" is a directory; name the file of the graph in it"));
  const Ran nothing = RunRace(Corpus("read_assign") + " --run ''");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.out, HasSubstr("--run: Value '' names no node"));
  const Ran both = RunRace(Corpus("read_assign") + " --schedules 3");
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.out, HasSubstr("--static excludes --schedules"));
}

}  // namespace
}  // namespace lockstep::cli
