#include "distribute/workers/own_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "lockstep/runtime/variable.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {
namespace {

Tensor Floats(int64_t count) {
  return Tensor::FromVector(std::vector<float>(static_cast<size_t>(count)), Shape{count});
}

// The same elements in a buffer of its own, as a pass over data makes it.
Tensor ViewOf(const Tensor& whole) {
  return Tensor::FromBuffer(
      tensor::Buffer::Borrow(whole.dtype(), whole.num_elements(), whole.raw_data(), whole.buffer()),
      whole.dtype(), whole.shape());
}

TEST(OwnMemory, WhatIsKeptOnceCounts) {
  OwnMemory memory;
  const Tensor a = Floats(1000), b = Floats(3);
  memory.Add(a);
  memory.Add(b);
  EXPECT_EQ(memory.bytes(), 4012u);
  memory.Clear();
  EXPECT_EQ(memory.bytes(), 0u);
  memory.Add(a);
  EXPECT_EQ(memory.bytes(), 4000u);
}

TEST(OwnMemory, WhatIsKeptSeveralTimesIsTheProgramsOwn) {
  OwnMemory memory;
  const Tensor data = Floats(1000), batch = Floats(10);
  for (int step = 0; step < 300; ++step) memory.Add(data);
  EXPECT_EQ(memory.bytes(), 0u);
  memory.Add(batch);
  EXPECT_EQ(memory.bytes(), 40u);
}

TEST(OwnMemory, ViewsOfTheSameElementsAreOne) {
  OwnMemory memory;
  const Tensor data = Floats(1000);
  std::vector<Tensor> views;
  for (int step = 0; step < 300; ++step) memory.Add(views.emplace_back(ViewOf(data)));
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(OwnMemory, ResourcesAndEmptyTensorsTakeNone) {
  OwnMemory memory;
  memory.Add(Variable(Scalar<float>(0)).handle());
  memory.Add(Floats(0));
  EXPECT_EQ(memory.bytes(), 0u);
}

}  // namespace
}  // namespace lockstep::distribute
