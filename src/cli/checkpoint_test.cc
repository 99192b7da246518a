#include "cli/checkpoint.h"

#include <gtest/gtest.h>

#include "cli/options.h"
#include "cli/tensor_difference.h"
#include "data/written_files_test.h"
#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/checkpoint/convert.h"
#include "lockstep/checkpoint/safetensors.h"

namespace lockstep::cli {
namespace {

using data::TestFolder;

SavedState Sample() {
  SavedState state;
  state.metadata = R"({"step":7})";
  state.tensors = {{"dense/kernel", Constant<float>({1, 2, 3, 4}, {2, 2})},
                   {"step", Scalar<int64_t>(7)}};
  return state;
}

// What a command prints, and its status.
struct Said {
  int status;
  std::string out, err;
};
Said Say(const CheckpointArguments& arguments) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = Checkpoint(arguments);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(TensorDifference, NamesTheFirstElement) {
  const Tensor a = Constant<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(TensorDifference(a, a), "");
  EXPECT_EQ(TensorDifference(a, Constant<float>({1, 2, 3.5f, 8}, {2, 2})),
            "2 of 4 elements differ, first at [1,0]: 3 and 3.5, at most by 4");
  EXPECT_EQ(TensorDifference(Scalar(0.0f), Scalar(-0.0f)),
            "1 of 1 elements differ, first at []: 0 and -0, at most by 0");
  EXPECT_EQ(TensorDifference(a, Constant<float>({1, 2, 3, 4})), "float32[2,2] and float32[4]");
  EXPECT_EQ(TensorDifference(Tensor::FromStrings({"x"}, {1}), Tensor::FromStrings({"y"}, {1})),
            "1 of 1 elements differ, first at [0]: x and y");
}

TEST(CheckpointCommand, ListsShowsAndVerifiesEveryFormat) {
  TestFolder folder;
  for (const char* name : {"s.lockstep", "s.safetensors", "s.npz", "s"}) {
    const std::string path = folder.Path(name);
    ASSERT_TRUE(SaveTensors({path, FormatOfName(path)}, Sample()).ok());
    const Said listed = Say({.command = "ls", .path = path});
    EXPECT_EQ(listed.status, kDone) << listed.err;
    EXPECT_NE(listed.out.find("float32[2,2]"), std::string::npos) << listed.out;
    const Said shown = Say({.command = "show", .path = path, .names = {"step"}});
    EXPECT_EQ(shown.out.substr(0, 15), "step = Tensor(7") << name << shown.out;
    const Said verified = Say({.command = "verify", .path = path});
    EXPECT_EQ(verified.status, kDone);
    EXPECT_NE(verified.out.find("whole"), std::string::npos);
  }
  const Said missing = Say({.command = "show", .path = folder.Path("s.npz"), .names = {"absent"}});
  EXPECT_EQ(missing.status, kFailed);
  EXPECT_EQ(missing.err,
            "lockstep checkpoint: NotFound: [checkpoint] the tensor must be in the file; got none "
            "(absent of " +
                folder.Path("s.npz") + "); `lockstep checkpoint ls` lists what there is\n");
  const Said none = Say({.command = "ls", .path = folder.Path("none")});
  EXPECT_EQ(none.status, kFailed);
  folder.Write("text", {'h', 'e', 'l', 'l', 'o'});
  EXPECT_NE(Say({.command = "ls", .path = folder.Path("text")}).err.find("InvalidArgument"),
            std::string::npos);
}

TEST(CheckpointCommand, ConvertsAndCompares) {
  TestFolder folder;
  const std::string save = folder.Path("a.lockstep");
  ASSERT_TRUE(SaveState(save, Sample()).ok());
  for (const char* name : {"b.safetensors", "b.npz", "b", "b.lockstep"}) {
    const std::string path = folder.Path(name);
    EXPECT_EQ(Say({.command = "convert", .path = save, .other = path}).status, kDone);
    const Said equal = Say({.command = "diff", .path = save, .other = path});
    EXPECT_EQ(equal.status, kDone) << equal.out;
    EXPECT_EQ(equal.out, "2 tensors, equal in every bit\n");
  }
  SavedState other = Sample();
  other.tensors[0].value = Constant<float>({1, 2, 3, 5}, {2, 2});
  other.tensors[1].name = "steps";
  ASSERT_TRUE(SaveState(folder.Path("c.lockstep"), other).ok());
  const Said differs = Say({.command = "diff", .path = save, .other = folder.Path("c.lockstep")});
  EXPECT_EQ(differs.status, kFailed);
  EXPECT_EQ(differs.out,
            "dense/kernel: 1 of 4 elements differ, first at [1,1]: 4 and 5, at most by 1\n"
            "step: only in " +
                save + "\nsteps: only in " + folder.Path("c.lockstep") + "\n");
  EXPECT_EQ(Say({.command = "convert", .path = save, .other = folder.Path("d.npy")}).err,
            "lockstep checkpoint: InvalidArgument: [checkpoint] an .npy file holds one tensor; got "
            "2 (" +
                folder.Path("d.npy") + "); write .npz\n");
}

TEST(CheckpointCommand, WritesNoFormatThatIsNotItsOwn) {
  TestFolder folder;
  const std::string save = folder.Path("a.lockstep");
  SavedState state;
  state.tensors = {{"x", Scalar<float>(1)}};
  ASSERT_TRUE(SaveTensors({save, FileFormat::kSave}, state).ok());
  const std::pair<std::string, std::string> cases[] = {
      {"", "nothing"},
      {folder.path(), "a directory (" + folder.path() + ")"},
      {folder.Path("x.h5"), "'.h5', which is not written here"},
      {folder.Path("x.pt"), "'.pt', which is not written here"},
      {folder.Path("x.NPZ"), "'.NPZ' for .npz"}};
  for (const auto& [to, got] : cases) {
    const Said said = Say({.command = "convert", .path = save, .other = to});
    EXPECT_EQ(said.status, kFailed) << to;
    EXPECT_EQ(said.err,
              "lockstep checkpoint: InvalidArgument: [checkpoint] the name must be one of "
              ".lockstep, .safetensors, .npz or .npy, or a checkpoint's prefix; got " +
                  got + "; name what is to be written\n");
  }
  EXPECT_EQ(Say({.command = "convert", .path = save, .other = folder.Path("step.1")}).status,
            kDone);
}

TEST(CheckpointCommand, TakesTheNewestOfADirectory) {
  TestFolder folder;
  const Variable step(Scalar<int64_t>(1));
  lockstep::Checkpoint checkpoint({{"step", step}});
  ASSERT_TRUE(checkpoint.Save(folder.Path("ck")).ok());
  step.Assign(Scalar<int64_t>(2));
  ASSERT_TRUE(checkpoint.Save(folder.Path("ck")).ok());
  const Said shown = Say({.command = "show", .path = folder.path(), .names = {"step"}});
  EXPECT_EQ(shown.out.substr(0, 15), "step = Tensor(2") << shown.out;
  EXPECT_EQ(Say({.command = "show", .path = folder.Path("ck-1.index"), .names = {"step"}})
                .out.substr(0, 15),
            "step = Tensor(1");
  // As it stands: the same names, and the same graph of objects.
  EXPECT_EQ(Say({.command = "convert",
                 .path = folder.Path("ck-1"),
                 .other = folder.Path("again"),
                 .all_names = true})
                .status,
            kDone);
  const Said names = Say({.command = "ls", .path = folder.Path("again")});
  EXPECT_NE(names.out.find("step/.ATTRIBUTES/VARIABLE_VALUE"), std::string::npos) << names.out;
  EXPECT_EQ(names.out.find("..ATTRIBUTES"), std::string::npos) << names.out;
  EXPECT_EQ(
      Say({.command = "diff", .path = folder.Path("ck-1"), .other = folder.Path("again")}).status,
      kDone);
  EXPECT_EQ(Say({.command = "show", .path = folder.Path("again"), .names = {"nosuch"}}).status,
            kFailed);
  SavedState conflict;
  conflict.tensors = {{"a", Scalar<float>(1)}, {"a/b", Scalar<float>(2)}};
  EXPECT_EQ(SaveTensors({folder.Path("x"), FileFormat::kBundle}, conflict),
            Status(Code::kInvalidArgument,
                   "[checkpoint] a tensor's name must not be the beginning of another's; got twice "
                   "a/b; rename one"));
}

}  // namespace
}  // namespace lockstep::cli
