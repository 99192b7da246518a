// Queues and accumulators, by their ops.

#include "runtime/shared_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error_of_test.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/session.h"
#include "ops/builder.h"
#include "runtime/element_types.h"

namespace lockstep::runtime {
namespace {

using ::testing::ElementsAre;

constexpr DType kFloat = DType::kFloat32;

ops::Attributes Types(const std::vector<ops::TensorType>& types) {
  ops::Attributes attributes;
  SetElementTypes(types, &attributes);
  return attributes;
}

ops::TensorType Type(DType dtype, const Shape& shape) { return {dtype, shape, dtype}; }

// A queue of numbers.
class NumberQueue {
 public:
  explicit NumberQueue(ops::Attributes spec = {}, Shape shape = {}) : shape_(std::move(shape)) {
    SetElementTypes({Type(kFloat, shape_)}, &spec);
    handle_ = MakeNamedObject("queue", "q", spec);
  }
  void Put(float value) const { ops::Emit("QueueEnqueue", {handle_, Scalar(value)}); }
  void PutAll(const Tensor& rows) const { ops::Emit("QueueEnqueueMany", {handle_, rows}); }
  float Take() const { return TakeTensor().scalar<float>(); }
  Tensor TakeTensor() const {
    return ops::Emit1("QueueDequeue", {handle_}, Types({Type(kFloat, shape_)}));
  }
  Tensor TakeMany(int count, bool up_to = false) const {
    Shape stacked{-1};
    for (int64_t size : shape_.sizes()) stacked.Append(size);
    return ops::Emit1(up_to ? "QueueDequeueUpTo" : "QueueDequeueMany",
                      {handle_, Scalar<int32_t>(count)}, Types({Type(kFloat, stacked)}));
  }
  int Size() const { return ops::Emit1("QueueSize", {handle_}).scalar<int32_t>(); }
  bool Closed() const { return ops::Emit1("QueueIsClosed", {handle_}).scalar<bool>(); }
  void Close(bool cancels = false) const {
    ops::Emit("QueueClose", {handle_}, {{"cancel_pending_enqueues", cancels}});
  }
  const Tensor& handle() const { return handle_; }

 private:
  const Shape shape_;
  Tensor handle_;
};

template <typename T = float>
std::vector<T> Values(const Tensor& tensor) {
  return tensor.ToVector<T>();
}

TEST(Queue, GivesWhatCameFirst) {
  const NumberQueue queue;
  queue.Put(1);
  queue.PutAll(Tensor({2.f, 3.f, 4.f}));
  EXPECT_EQ(queue.Size(), 4);
  EXPECT_EQ(queue.Take(), 1);
  EXPECT_THAT(Values(queue.TakeMany(2)), ElementsAre(2, 3));
  EXPECT_EQ(queue.TakeMany(0).num_elements(), 0);
  EXPECT_FALSE(queue.Closed());
  queue.Close();
  EXPECT_TRUE(queue.Closed());
  ExpectError(Code::kCancelled, "FIFOQueue 'q' is closed.", [&] { queue.Put(5); });
  ExpectError(Code::kCancelled, "Queue 'q' is already closed.", [&] { queue.Close(); });
  ExpectError(Code::kOutOfRange, "insufficient elements (requested 2, current size 1)",
              [&] { queue.TakeMany(2); });
  EXPECT_THAT(Values(queue.TakeMany(5, true)), ElementsAre(4));
  ExpectError(Code::kOutOfRange, "(requested 1, current size 0)", [&] { queue.Take(); });
}

TEST(Queue, WaitsForRoomAndForElements) {
  const NumberQueue queue({{"capacity", int64_t{2}}});
  std::thread puts([&] {
    for (int i = 0; i < 100; ++i) queue.Put(static_cast<float>(i));
    queue.Close();
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(Values(queue.TakeMany(2)),
                ElementsAre(static_cast<float>(2 * i), static_cast<float>(2 * i + 1)));
  }
  puts.join();
  ExpectError(Code::kOutOfRange, "is closed", [&] { queue.Take(); });
  // More rows than there is room for come in as there is room.
  const NumberQueue narrow({{"capacity", int64_t{2}}});
  std::thread rows([&] { narrow.PutAll(Tensor({1.f, 2.f, 3.f, 4.f, 5.f})); });
  EXPECT_THAT(Values(narrow.TakeMany(5)), ElementsAre(1, 2, 3, 4, 5));
  rows.join();
}

TEST(Queue, ClosesBehindWhoHasCome) {
  const NumberQueue queue({{"capacity", int64_t{1}}});
  queue.Put(1);
  std::thread late([&] { queue.Put(2); });
  std::thread closes;
  while (queue.Size() < 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  closes = std::thread([&] { queue.Close(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(queue.Closed());
  EXPECT_EQ(queue.Take(), 1);
  EXPECT_EQ(queue.Take(), 2);
  late.join();
  closes.join();
  ExpectError(Code::kOutOfRange, "is closed", [&] { queue.Take(); });
  // Or cancels them.
  const NumberQueue other({{"capacity", int64_t{1}}});
  other.Put(1);
  std::thread cancelled([&] {
    ExpectError(Code::kCancelled, "Enqueue operation was cancelled", [&] { other.Put(2); });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  other.Close(true);
  cancelled.join();
  EXPECT_EQ(other.Take(), 1);
  other.Close(true);  // again: nothing
}

TEST(Queue, OrdersByPriorityAndPads) {
  ops::Attributes spec{{"order", int64_t{3}}};
  const std::vector<ops::TensorType> types{Type(DType::kInt64, {}), Type(DType::kString, {})};
  SetElementTypes(types, &spec);
  const Tensor handle = MakeNamedObject("queue", "first", spec);
  const auto put = [&](int64_t priority, const char* text) {
    ops::Emit("QueueEnqueue", {handle, Scalar<int64_t>(priority), Tensor::FromStrings({text}, {})});
  };
  put(3, "c");
  put(1, "a");
  put(2, "b");
  put(1, "a too");
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) {
    order.push_back(ops::Emit("QueueDequeue", {handle}, Types(types))[1].scalar<std::string>());
  }
  EXPECT_THAT(order, ElementsAre("a", "a too", "b", "c"));

  const NumberQueue padding({{"order", int64_t{1}}}, {-1});
  ops::Emit("QueueEnqueue", {padding.handle(), Tensor({1.f})});
  ops::Emit("QueueEnqueue", {padding.handle(), Tensor({2.f, 3.f, 4.f})});
  const Tensor both = padding.TakeMany(2);
  EXPECT_EQ(both.shape(), (Shape{2, 3}));
  EXPECT_THAT(Values(both), ElementsAre(1, 0, 0, 2, 3, 4));
  ExpectError(Code::kInvalidArgument, "Shape mismatch in tuple component 0. Expected [?], got []",
              [&] { padding.Put(1); });
}

// TensorFlow 2.21: RandomShuffleQueue(10, 0, tf.int32, seed=7) with 0 to 9 in it.
TEST(Queue, DrawsAsTensorFlowDoes) {
  const NumberQueue queue(
      {{"order", int64_t{2}}, {"seed", int64_t{87654321}}, {"seed2", int64_t{7}}});
  queue.PutAll(Tensor({0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f}));
  EXPECT_THAT(Values(queue.TakeMany(10)), ElementsAre(7, 1, 5, 6, 4, 3, 2, 0, 9, 8));
  const NumberQueue keeps({{"order", int64_t{2}}, {"min_after_dequeue", int64_t{2}}});
  keeps.PutAll(Tensor({0.f, 1.f, 2.f}));
  keeps.Take();
  std::thread waits([&] { EXPECT_EQ(keeps.TakeMany(2).num_elements(), 2); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(keeps.Size(), 2);
  keeps.Close();
  waits.join();
}

TEST(Queue, AWaitEndsWithItsRun) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const NumberQueue queue;
  const Tensor taken = queue.TakeTensor();
  const Variable v(0.f, {.name = "v"});
  const Tensor update = v.AssignAdd(taken);
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  ExpectError(Code::kDeadlineExceeded, "",
              [&] { session.Run({update}, {}, {}, {.timeout = std::chrono::milliseconds(80)}); });
  // A run that waits keeps nobody from the variables that it writes.
  std::thread waits([&] { EXPECT_EQ(session.Eval(update).scalar<float>(), 12); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  session.Run({v.Assign(5.f)});
  const Operation put(ops::Emit1("QueueEnqueue", {queue.handle(), v.value() + 2.f}));
  session.Run({put});
  waits.join();
}

Tensor MakeAccumulator(const ops::TensorType& type, ops::Attributes spec = {}) {
  SetElementTypes({type}, &spec);
  return MakeNamedObject("accumulator", "sum", spec);
}
void Apply(const Tensor& handle, int64_t step, const Tensor& gradient) {
  ops::Emit("AccumulatorApplyGradient", {handle, Scalar<int64_t>(step), gradient});
}
Tensor TakeGradient(const Tensor& handle, int count, const ops::TensorType& type) {
  return ops::Emit1("AccumulatorTakeGradient", {handle, Scalar<int32_t>(count)}, Types({type}));
}
int Count(const Tensor& handle) {
  return ops::Emit1("AccumulatorNumAccumulated", {handle}).scalar<int32_t>();
}

TEST(Accumulator, GivesMeansOfEnough) {
  const auto type = Type(kFloat, {2});
  const Tensor sum = MakeAccumulator(type);
  std::thread applies([&] {
    Apply(sum, 0, Tensor({1.f, 2.f}));
    Apply(sum, 0, Tensor({3.f, 6.f}));
  });
  EXPECT_THAT(Values(TakeGradient(sum, 2, type)), ElementsAre(2, 4));
  applies.join();
  EXPECT_EQ(Count(sum), 0);
  Apply(sum, 0, Tensor({9.f, 9.f}));  // of the step before
  EXPECT_EQ(Count(sum), 0);
  Apply(sum, 1, Tensor({9.f, 9.f}));
  EXPECT_EQ(Count(sum), 1);
  ops::Emit("AccumulatorSetGlobalStep", {sum, Scalar<int64_t>(5)});
  Apply(sum, 4, Tensor({9.f, 9.f}));
  EXPECT_EQ(Count(sum), 1);
  ExpectError(Code::kInvalidArgument, "Shape mismatch: expected [2], got [3]", [&] {
    Apply(sum, 5, Tensor({1.f, 2.f, 3.f}));
  });
  ExpectError(Code::kInvalidArgument, "must be positive", [&] { TakeGradient(sum, 0, type); });
  ExpectError(Code::kInvalidArgument, "MEAN or SUM; got MAX", [&] {
    MakeAccumulator(type, {{"reduction_type", std::string("MAX")}});
  });
}

// The bits do not tell who came first.
TEST(Accumulator, SumsInOneOrder) {
  const auto type = Type(kFloat, {});
  std::vector<float> gradients{1e8f, 1.f, -1e8f, 0.25f};
  std::vector<float> sums;
  do {
    const Tensor sum = MakeAccumulator(type, {{"reduction_type", std::string("SUM")}});
    for (float gradient : gradients) Apply(sum, 0, Scalar(gradient));
    sums.push_back(TakeGradient(sum, 4, type).scalar<float>());
  } while (std::next_permutation(gradients.begin(), gradients.end()));
  EXPECT_THAT(sums, ::testing::Each(sums[0]));
}

TEST(Accumulator, GathersRows) {
  const auto type = Type(kFloat, {4, 2});
  const Tensor sum = MakeAccumulator(type, {{"sparse", true}});
  const auto apply = [&](const std::vector<int64_t>& rows, const Tensor& values) {
    ops::Emit("AccumulatorApplyGradient",
              {sum, Scalar<int64_t>(0), Constant<int64_t>(rows), values, Constant<int64_t>({})});
  };
  apply({3, 0}, Tensor({{1, 2}, {3, 4}}));
  apply({3}, Tensor({{5, 6}}));
  ExpectError(Code::kInvalidArgument, "got 4 where there are 4", [&] {
    apply({4}, Tensor({{5, 6}}));
  });
  const std::vector<Tensor> taken = ops::Emit(
      "AccumulatorTakeGradient", {sum, Scalar<int32_t>(2)},
      Types({Type(DType::kInt64, {-1}), Type(kFloat, {-1, 2}), Type(DType::kInt64, {2})}));
  EXPECT_THAT(Values<int64_t>(taken[0]), ElementsAre(0, 3));
  EXPECT_THAT(Values(taken[1]), ElementsAre(3, 4, 3, 4));
  EXPECT_THAT(Values<int64_t>(taken[2]), ElementsAre(4, 2));
}

}  // namespace
}  // namespace lockstep::runtime
