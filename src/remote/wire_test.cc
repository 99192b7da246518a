#include "remote/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/randomness.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/graph.h"
#include "ops/builder.h"
#include "remote/messages.h"
#include "remote/wire_origins.h"
#include "runtime/element_types.h"
#include "runtime/graph_builder.h"
#include "runtime/shared_object.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"
#include "tensor/origins.h"

namespace lockstep::remote {
namespace {

TEST(Wire, TensorsComeBack) {
  for (const Tensor& tensor :
       {Tensor({{1, 2}, {3, 4}}), Scalar<int64_t>(-7), Constant<float>({}, {0, 3}),
        Tensor::FromBools({true, false}, {2}), Tensor::FromStrings({"a", "", "xyz"}, {3})}) {
    cluster::FieldWriter writer;
    PutTensor(tensor, &writer);
    const std::string text = writer.Take();
    cluster::FieldReader reader(text);
    const Tensor back = TakeTensor(&reader);
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(back.ToString(), tensor.ToString());
    for (size_t size = 0; size < text.size(); ++size) {
      cluster::FieldReader cut(std::string_view(text).substr(0, size));
      EXPECT_FALSE(TakeTensor(&cut).defined() && cut.ok()) << size;
    }
  }
}

std::string WriteSomeGraph() {
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable v(1.f, {.name = "v"});
  const Tensor x = Placeholder(DType::kFloat32, {});
  const Tensors loop = WhileLoop([&](const Tensors& i) { return Less(i[0], x); },
                                 [&](const Tensors& i) {
                                   v.AssignAdd(1.f);
                                   return Tensors{i[0] + 1.f};
                                 },
                                 {Scalar(0.f)});
  ops::Attributes spec{{"capacity", int64_t{3}}};
  runtime::SetElementTypes({{DType::kFloat32, {2, -1}, DType::kFloat32}}, &spec);
  ops::Emit("QueueSize", {runtime::MakeNamedObject("queue", "q", spec)});
  cluster::FieldWriter writer;
  EXPECT_TRUE(PutGraph(graph.state()->graph(), &writer).ok());
  return writer.Take();
}

TEST(Wire, GraphsComeBack) {
  const std::string text = WriteSomeGraph();
  std::vector<std::string> named;
  const auto resource = [&](const WireVariable& variable) {
    named.push_back(variable.name);
    auto cell = std::make_shared<runtime::VariableCell>(variable.name, variable.dtype,
                                                        variable.shape, true);
    return Tensor::FromObject(cell, DType::kResource, variable.shape, variable.dtype);
  };
  const auto object = [&](const WireObject& given) {
    named.push_back(given.kind + " " + given.name);
    return Tensor::FromObject(runtime::MakeSharedObject(given.kind, given.name, given.spec),
                              DType::kResource, Shape(), DType::kBool);
  };
  const WireResources resources{resource, object};
  cluster::FieldReader reader(text);
  const graph::Graph graph = TakeGraph(&reader, resources).OrThrow();
  EXPECT_TRUE(reader.done());
  EXPECT_THAT(graph.ToString(), testing::HasSubstr("While("));
  EXPECT_THAT(named, testing::IsSupersetOf({"v", "queue q"}));
  // Whatever comes, it is a graph or an error.
  base::SeededRandomness randomness(1);
  for (int i = 0; i < 2000; ++i) {
    std::string other = text.substr(0, i % 2 == 0 ? text.size() : randomness.Below(text.size()));
    for (int j = 0; j < 3 && !other.empty(); ++j) {
      other[randomness.Below(other.size())] = static_cast<char>(randomness.Next());
    }
    cluster::FieldReader wrong(other);
    (void)TakeGraph(&wrong, resources);
  }
}

TEST(Wire, AVariableOfThisProcessStaysHere) {
  const Variable here(Scalar(1.f), {.name = "here"});
  const Graph graph;
  const auto scope = graph.AsDefault();
  here.AssignAdd(1.f);
  cluster::FieldWriter writer;
  const Status status = PutGraph(graph.state()->graph(), &writer);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), testing::HasSubstr("which is a variable of this process"));
}

TEST(Wire, LargeTensorsGoBesideTheText) {
  RunAnswer answer;
  const auto numbers = [](int64_t count) {
    std::vector<float> values(count);
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
    return Constant<float>(values, {count});
  };
  // Small, copied on arrival, kept where it arrives.
  answer.results = {numbers(3), numbers(kBesideFrom / 4), numbers(kStaysFrom / 4),
                    Tensor::FromStrings({std::string(9000, 'x')}, {1})};
  const net::Parcel sent = answer.Write();
  ASSERT_EQ(sent.bodies.size(), 2u);
  EXPECT_EQ(static_cast<const void*>(sent.bodies[1].data()), answer.results[2].raw_data());
  const std::string packed = net::Pack(sent);
  net::Block block = net::Block::OnHeap(packed.size());
  std::memcpy(block.bytes.data(), packed.data(), packed.size());
  const std::weak_ptr<void> memory = block.owner;
  std::vector<Tensor> back;
  {
    net::Parcel arrived = net::Unpack(net::Payload(std::move(block))).OrThrow();
    back = RunAnswer::Read(arrived).OrThrow().results;
    EXPECT_EQ(back[2].raw_data(), static_cast<const void*>(arrived.bodies[1].data()));
    EXPECT_NE(back[1].raw_data(), static_cast<const void*>(arrived.bodies[0].data()));
    // Bodies of other sizes than the text says, one too few, one too many.
    net::Parcel wrong = arrived;
    std::swap(wrong.bodies[0], wrong.bodies[1]);
    EXPECT_EQ(RunAnswer::Read(wrong).status().code(), Code::kDataLoss);
    wrong.bodies = {arrived.bodies[0]};
    EXPECT_EQ(RunAnswer::Read(wrong).status().code(), Code::kDataLoss);
    wrong.bodies = {arrived.bodies[0], arrived.bodies[1], arrived.bodies[1]};
    EXPECT_EQ(RunAnswer::Read(wrong).status().code(), Code::kDataLoss);
  }
  ASSERT_EQ(back.size(), 4u);
  for (size_t i = 0; i < back.size(); ++i)
    EXPECT_EQ(back[i].ToString(), answer.results[i].ToString());
  EXPECT_FALSE(memory.expired());
  back.erase(back.begin() + 2);
  EXPECT_TRUE(memory.expired());
}

TEST(Wire, RequestsComeBack) {
  RunRequest request;
  request.graph = 5;
  request.number = 6;
  request.order = {7, 8};
  request.alone = false;
  request.finishes = {{1, true}, {2, false}};
  request.feeds = {Tensor({1, 2})};
  net::Parcel parcel = request.Write();
  const RunRequest back = RunRequest::Read(parcel).OrThrow();
  EXPECT_EQ(back.Write().text, parcel.text);
  EXPECT_EQ(back.finishes.size(), 2u);
  parcel.text += "x";
  EXPECT_EQ(RunRequest::Read(parcel).status().code(), Code::kDataLoss);
  RunAnswer answer;
  answer.timestamp = 3;
  answer.status = Status(Code::kAborted, "[x] y");
  EXPECT_EQ(RunAnswer::Read(answer.Write()).OrThrow().status, answer.status);
  const PutRequest put{4, {"a;b;1:0", "a;b;2:0"}, {Scalar(2.f), Tensor({1.f, 3.f})}, false};
  const PutRequest read = PutRequest::Read(put.Write()).OrThrow();
  EXPECT_EQ(read.keys, put.keys);
  ASSERT_EQ(read.values.size(), 2U);
  EXPECT_EQ(read.values[1].ToVector<float>(), (std::vector<float>{1, 3}));
}

TEST(Wire, WhoAsksAndWhatWasFoundComeBack) {
  RunRequest request;
  request.asker = {.process = 7,
                   .number = 3,
                   .epoch = 9,
                   .refuses = true,
                   .name = "thread 3 of process 5 on alpha",
                   .file = "step.cc",
                   .line = 12,
                   .knows = {{8, 2, 5, 6}}};
  const net::Parcel parcel = request.Write();
  const RunRequest back = RunRequest::Read(parcel).OrThrow();
  EXPECT_EQ(back.Write().text, parcel.text);
  EXPECT_EQ(back.asker.line, 12u);
  request.asker.number = 0;  // nobody
  EXPECT_EQ(RunRequest::Read(request.Write()).status().code(), Code::kDataLoss);

  RunAnswer answer;
  answer.findings.push_back({.variable = "@owner/4/w/kernel",
                             .read = {.version = 3, .thread = 1, .site = {"a.cc", 4}},
                             .written = {.version = 5,
                                         .thread = 2,
                                         .site = {"b.cc", 6},
                                         .process = 7,
                                         .who = "thread 2 of process 9 on beta"},
                             .assigned = {.version = 6}});
  const RunAnswer told = RunAnswer::Read(answer.Write()).OrThrow();
  ASSERT_EQ(told.findings.size(), 1u);
  EXPECT_EQ(told.findings[0].variable, "w/kernel");
  EXPECT_EQ(told.findings[0].read.version, 3u);
  EXPECT_EQ(told.findings[0].written.who, "thread 2 of process 9 on beta");
  EXPECT_STREQ(told.findings[0].written.site.file, "b.cc");
}

TEST(Wire, OriginsOfServersVariablesComeBack) {
  runtime::VariableCell cell("cell", Scalar(1.f)), unknown("unknown", Scalar(1.f));
  TellOfVariable(cell.number());
  const Tensor version = cell.Read();
  const Tensor computed = Tensor(2.f), foreign = unknown.Read();
  auto origins = std::make_shared<tensor::Origins>();
  origins->Add(tensor::Origin{cell.number(), 4});
  computed.buffer()->set_origins(origins);
  RunAnswer answer;
  answer.results = {version, computed, foreign};
  answer.tells_origins = true;
  const auto back = RunAnswer::Read(answer.Write()).OrThrow().results;
  EXPECT_EQ(back[0].buffer()->origin().variable, cell.number());
  EXPECT_EQ(tensor::VersionIn(back[1], cell.number()), 4u);
  EXPECT_EQ(back[1].buffer()->origin().variable, 0u);
  EXPECT_FALSE(tensor::HasOrigin(back[2]));
  answer.tells_origins = false;
  EXPECT_FALSE(tensor::HasOrigin(RunAnswer::Read(answer.Write()).OrThrow().results[0]));
}

}  // namespace
}  // namespace lockstep::remote
