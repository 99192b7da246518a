#include "lockstep/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/folder_test.h"
#include "base/memory_files.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/flat_graph.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace lockstep::checkpoint {
namespace {

class Folder : public base::TestFolder {
 public:
  std::vector<std::string> Names() const { return base::LocalFiles().List(path()).OrThrow(); }
};

struct Objects {
  Variable w{Constant<float>({1, 2, 3, 4}, {2, 2}), {.name = "w"}};
  Variable n{Scalar<int64_t>(7)};
  Trackable model;
  Objects() { model.Add("w", w).Add("a/b.c", n).Add("again", w); }
  std::vector<TrackedPart> parts() const { return {{"step", n}, {"model", model}}; }
};

std::string ErrorOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    return error.status().message();
  }
  return "no error";
}

TEST(Checkpoint, RestoresWhatItHasWritten) {
  Folder folder;
  Objects saved;
  ASSERT_TRUE(Checkpoint(saved.parts()).Write(folder.Path("ck")).ok());
  Objects other;
  other.w.Assign(Constant<float>({0, 0, 0, 0}, {2, 2}));
  other.n.Assign(Scalar<int64_t>(0));
  Checkpoint checkpoint(other.parts());
  const auto status = checkpoint.Restore(folder.Path("ck"));
  ASSERT_TRUE(status.ok()) << status.status().message();
  status->AssertConsumed();
  EXPECT_EQ(status->restored, 2);
  EXPECT_EQ(other.w.value().ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(other.n.value().scalar<int64_t>(), 7);
}

TEST(Checkpoint, NamesValuesByTheirShortestPath) {
  Folder folder;
  Objects saved;
  ASSERT_TRUE(Checkpoint(saved.parts()).Write(folder.Path("ck")).ok());
  const auto bundle = TensorBundle::Open(folder.Path("ck"));
  ASSERT_TRUE(bundle.ok());
  std::vector<std::string> names;
  for (const auto& entry : bundle->entries()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH",
                                             "model/w/.ATTRIBUTES/VARIABLE_VALUE",
                                             "step/.ATTRIBUTES/VARIABLE_VALUE"}));
  EXPECT_EQ(EscapeName("a/b.c"), "a.Sb..c");
}

TEST(Checkpoint, CountsAndNamesTheLatest) {
  Folder folder;
  Objects objects;
  Checkpoint checkpoint(objects.parts());
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
  EXPECT_EQ(checkpoint.Save(folder.Path("ck")).OrThrow(), folder.Path("ck-1"));
  EXPECT_EQ(checkpoint.Save(folder.Path("ck")).OrThrow(), folder.Path("ck-2"));
  EXPECT_EQ(folder.Read("checkpoint"),
            "model_checkpoint_path: \"ck-2\"\nall_model_checkpoint_paths: \"ck-2\"\n");
  EXPECT_EQ(LatestCheckpoint(folder.path()), folder.Path("ck-2"));
  Checkpoint again(objects.parts());
  ASSERT_TRUE(again.Restore(folder.Path("ck-2")).ok());
  EXPECT_EQ(again.Save(folder.Path("ck")).OrThrow(), folder.Path("ck-3"));
  std::filesystem::remove(folder.Path("ck-3.index"));
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
}

TEST(Checkpoint, SaysWhatDidNotMatch) {
  Folder folder;
  Objects saved;
  ASSERT_TRUE(Checkpoint(saved.parts()).Write(folder.Path("ck")).ok());
  const Variable fresh(Scalar<float>(1));
  Checkpoint other({{"step", saved.n}, {"fresh", fresh}});
  const RestoreStatus status = other.Restore(folder.Path("ck")).OrThrow();
  EXPECT_EQ(status.restored, 1);
  EXPECT_EQ(status.missing, std::vector<std::string>{"fresh"});
  EXPECT_EQ(status.unused, std::vector<std::string>{"model/w/.ATTRIBUTES/VARIABLE_VALUE"});
  status.AssertNontrivialMatch();
  EXPECT_EQ(ErrorOf([&] { status.AssertConsumed(); }),
            "[checkpoint] every variable must have a saved value; got none for fresh (" +
                folder.Path("ck") + ")");
  Checkpoint part({{"step", saved.n}});
  const RestoreStatus partial = part.Restore(folder.Path("ck")).OrThrow();
  partial.AssertExistingObjectsMatched();
  EXPECT_EQ(ErrorOf([&] { partial.AssertConsumed(); }),
            "[checkpoint] every saved value must have been taken; got none for "
            "model/w/.ATTRIBUTES/VARIABLE_VALUE (" +
                folder.Path("ck") + ")");
}

TEST(Checkpoint, AssignsAllOrNothing) {
  Folder folder;
  Objects saved;
  ASSERT_TRUE(Checkpoint(saved.parts()).Write(folder.Path("ck")).ok());
  const Variable n(Scalar<int64_t>(1)), w(Constant<float>({1, 2}));
  Trackable model;
  model.Add("w", w);
  Checkpoint other({{"a", n}, {"step", n}, {"model", model}});
  EXPECT_EQ(other.Restore(folder.Path("ck")).status(),
            Status(Code::kInvalidArgument,
                   "[checkpoint] a saved value has the dtype and shape of its variable; got "
                   "float32[2,2] for float32[2] (model/w/.ATTRIBUTES/VARIABLE_VALUE of " +
                       folder.Path("ck") + "); make the objects as they were saved"));
  EXPECT_EQ(n.value().scalar<int64_t>(), 1);
  ASSERT_TRUE(WriteTensorBundle(folder.Path("names"), {{"w", Scalar<float>(1), ""}}).ok());
  EXPECT_EQ(other.Restore(folder.Path("names")).status().code(), Code::kNotFound);
  EXPECT_EQ(other.Restore(folder.Path("none")).status().code(), Code::kNotFound);
}

TEST(Checkpoint, WritesByAThreadOfItsOwnToTheFilesOfTheCaller) {
  base::MemoryFiles disk;
  Variable v(Scalar(1.0f));
  Checkpoint checkpoint({{"v", v}});
  {
    const base::FilesScope scope(disk);
    ASSERT_TRUE(checkpoint.Write("folder/ck", {.enable_async = true}).ok());
  }
  ASSERT_EQ(checkpoint.Sync(), Status::Ok());
  EXPECT_TRUE(disk.Open("folder/ck.index").ok());
}

TEST(Checkpoint, HoldsTheValuesOfTheCallWhileItWritesThem) {
  Folder folder;
  Objects objects;
  Checkpoint checkpoint(objects.parts());
  ASSERT_TRUE(checkpoint.Write(folder.Path("ck"), {.enable_async = true}).ok());
  objects.w.Assign(Constant<float>({9, 9, 9, 9}, {2, 2}));
  ASSERT_TRUE(checkpoint.Sync().ok());
  ASSERT_TRUE(checkpoint.Restore(folder.Path("ck")).ok());
  EXPECT_EQ(objects.w.value().ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
  // What goes wrong is reported by the next call.
  std::ofstream(folder.Path("file")) << "x";
  ASSERT_TRUE(checkpoint.Write(folder.Path("file/ck"), {.enable_async = true}).ok());
  EXPECT_EQ(checkpoint.Write(folder.Path("ck")).code(), Code::kNotFound);
  EXPECT_TRUE(checkpoint.Write(folder.Path("ck")).ok());
}

TEST(Checkpoint, AsksForPartsAtEachSave) {
  Folder folder;
  std::vector<Variable> slots;
  const Trackable optimizer([&] {
    std::vector<TrackedPart> parts;
    for (size_t i = 0; i < slots.size(); ++i) parts.push_back({std::to_string(i), slots[i]});
    return parts;
  });
  Checkpoint checkpoint({{"optimizer", optimizer}});
  slots.emplace_back(Scalar<float>(3));
  ASSERT_TRUE(checkpoint.Write(folder.Path("ck")).ok());
  EXPECT_NE(TensorBundle::Open(folder.Path("ck"))->Find("optimizer/0/.ATTRIBUTES/VARIABLE_VALUE"),
            nullptr);
}

TEST(CheckpointManager, KeepsTheNewestAndOneAnHour) {
  Folder folder;
  Objects objects;
  Checkpoint checkpoint(objects.parts());
  double now = 1000;
  CheckpointManagerOptions options{2, 1.0};
  options.now = [&] { return now; };
  auto manager = CheckpointManager::Open(checkpoint, folder.path(), options);
  ASSERT_TRUE(manager.ok());
  for (int save = 0; save < 5; ++save, now += 1900) ASSERT_TRUE(manager->Save().ok());
  // Saves at 1000, 2900, 4800, 6700, 8600: the third is the first that is an hour younger than the
  // beginning.
  EXPECT_EQ(manager->checkpoints(),
            (std::vector<std::string>{folder.Path("ckpt-4"), folder.Path("ckpt-5")}));
  EXPECT_EQ(manager->latest_checkpoint(), folder.Path("ckpt-5"));
  EXPECT_EQ(folder.Names(),
            (std::vector<std::string>{"checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index",
                                      "ckpt-4.data-00000-of-00001", "ckpt-4.index",
                                      "ckpt-5.data-00000-of-00001", "ckpt-5.index"}));
  EXPECT_EQ(folder.Read("checkpoint"),
            "model_checkpoint_path: \"ckpt-5\"\n"
            "all_model_checkpoint_paths: \"ckpt-4\"\nall_model_checkpoint_paths: \"ckpt-5\"\n"
            "all_model_checkpoint_timestamps: 6700\nall_model_checkpoint_timestamps: 8600\n"
            "last_preserved_timestamp: 4800\n");
  // Another process goes on from the list.
  Checkpoint later(objects.parts());
  auto next = CheckpointManager::Open(later, folder.path(), options);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->RestoreOrInitialize().OrThrow(), folder.Path("ckpt-5"));
  EXPECT_EQ(next->Save({}, {.enable_async = true}).OrThrow(), folder.Path("ckpt-6"));
  ASSERT_TRUE(later.Sync().ok());
  EXPECT_EQ(next->checkpoints(),
            (std::vector<std::string>{folder.Path("ckpt-5"), folder.Path("ckpt-6")}));
  EXPECT_FALSE(std::filesystem::exists(folder.Path("ckpt-4.index")));
  EXPECT_EQ(next->Save(40).OrThrow(), folder.Path("ckpt-40"));
}

TEST(CheckpointManager, RefusesToKeepNothing) {
  Checkpoint checkpoint;
  EXPECT_EQ(CheckpointManager::Open(checkpoint, "x", {0}).status(),
            Status(Code::kInvalidArgument,
                   "[checkpoint] at least 1 checkpoint must be kept; got 0; leave it out to keep "
                   "all"));
}

TEST(CheckpointState, ReadsBackAnyName) {
  CheckpointState state{.latest = "a \"b\"\\ \xc3\xa9\n", .all = {"x", "y'"}, .times = {1.5, 0.1}};
  const auto read = DecodeCheckpointState(EncodeCheckpointState(state));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->latest, state.latest);
  EXPECT_EQ(read->all, state.all);
  EXPECT_EQ(read->times, state.times);
  EXPECT_EQ(read->last_preserved, std::nullopt);
  for (const char* text : {"", "model_checkpoint_path", "model_checkpoint_path: 3",
                           "model_checkpoint_path: \"x", "model_checkpoint_path: \"x\\\""})
    EXPECT_FALSE(DecodeCheckpointState(text)) << text;
}

TEST(ObjectGraph, ReadsBackAndRefusesWhatIsNone) {
  ObjectGraph graph(2);
  graph[0].children = {{1, "x"}};
  graph[0].slots = {{1, "m", 1}};
  graph[1].values = {{"VARIABLE_VALUE", "x:0", "x/key"}};
  graph[0].has_values = graph[1].has_values = true;
  const std::string bytes = EncodeObjectGraph(graph);
  const auto read = DecodeObjectGraph(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(EncodeObjectGraph(*read), bytes);
  EXPECT_EQ((*read)[1].Find("VARIABLE_VALUE")->key, "x/key");
  graph[0].children[0].node = 2;
  EXPECT_FALSE(DecodeObjectGraph(EncodeObjectGraph(graph)));
  EXPECT_FALSE(DecodeObjectGraph(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(DecodeObjectGraph(""));
}

TEST(ObjectGraph, HoldsObjectsThatReferToEachOther) {
  Trackable b;
  const Trackable a([&] { return std::vector<TrackedPart>{{"b", b}}; });
  b.Add("a", a).Add("v", Variable(Scalar<float>(1)));
  const FlatGraph flat = Flatten(a);
  ASSERT_EQ(flat.graph.size(), 3u);
  EXPECT_EQ(flat.graph[1].children[0].node, 0);
  EXPECT_TRUE(flat.graph[0].has_values);
  EXPECT_EQ(flat.variables[0].first, "b/v/.ATTRIBUTES/VARIABLE_VALUE");
}

}  // namespace
}  // namespace lockstep::checkpoint
