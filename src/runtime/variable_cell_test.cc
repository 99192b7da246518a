#include "runtime/variable_cell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "base/team.h"
#include "lockstep/ops/array.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {
namespace {

struct Later {
  std::shared_ptr<VariableCell> cell =
      std::make_shared<VariableCell>("v", Tensor::FromVector<float>({1, 2}, {2}));
  std::atomic<int> fills{0};

  void Assign(float value) {
    cell->AssignLater([this, value](std::byte* data) {
      ++fills;
      const float values[] = {value, value + 1};
      std::memcpy(data, values, sizeof values);
    });
  }
  std::vector<float> Read() const { return cell->Read().ToVector<float>(); }
};

TEST(AssignLater, WritesWhenSomebodyWantsTheValue) {
  Later later;
  later.Assign(5);
  EXPECT_EQ(later.cell->version(), 1u);
  EXPECT_EQ(later.fills, 0);
  EXPECT_EQ(later.Read(), (std::vector<float>{5, 6}));
  EXPECT_EQ(later.Read(), (std::vector<float>{5, 6}));
  EXPECT_EQ(later.fills, 1);
  EXPECT_EQ(later.cell->buffer()->origin().version, 1u);
}

TEST(AssignLater, WhatNobodyWantedIsNeverWritten) {
  Later later;
  later.Assign(5);
  later.Assign(7);
  EXPECT_EQ(later.cell->version(), 2u);
  EXPECT_EQ(later.Read(), (std::vector<float>{7, 8}));
  later.Assign(9);
  later.cell->Assign(Tensor::FromVector<float>({3, 4}, {2}));
  EXPECT_EQ(later.Read(), (std::vector<float>{3, 4}));
  later.Assign(9);
  later.cell->Restore(tensor::Buffer::Allocate(DType::kFloat32, 2), 1);
  EXPECT_EQ(later.cell->version(), 1u);
  later.Read();
  EXPECT_EQ(later.fills, 1);
}

TEST(AssignLater, AValueThatWasReadStaysAsItWas) {
  Later later;
  const Tensor before = later.cell->Read();
  later.Assign(5);
  const Tensor after = later.cell->Read();
  later.Assign(7);
  EXPECT_EQ(later.Read(), (std::vector<float>{7, 8}));
  EXPECT_EQ(before.ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(after.ToVector<float>(), (std::vector<float>{5, 6}));
}

TEST(AssignLater, AWriteInPlaceComesAfterIt) {
  Later later;
  later.Assign(5);
  static_cast<float*>(later.cell->PrepareWrite())[0] = 0;
  later.cell->CommitWrite();
  EXPECT_EQ(later.cell->version(), 2u);
  EXPECT_EQ(later.Read(), (std::vector<float>{0, 6}));
}

TEST(AssignLater, OneOfManyReadersWrites) {
  Later later;
  base::Team readers(4);
  for (int round = 1; round <= 200; ++round) {
    later.Assign(static_cast<float>(round));
    std::atomic<int> wrong{0};
    readers.Run([&](int) {
      if (later.Read()[1] != static_cast<float>(round + 1)) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(later.fills, round);
  }
}

}  // namespace
}  // namespace lockstep::runtime
