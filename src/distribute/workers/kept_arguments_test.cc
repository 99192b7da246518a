#include "distribute/workers/kept_arguments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {
namespace {

template <typename T>
Tensor Vector(const std::vector<T>& values) {
  return Tensor::FromVector(values, Shape{static_cast<int64_t>(values.size())});
}

void ExpectSame(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].dtype(), expected[i].dtype()) << i;
    ASSERT_EQ(got[i].shape(), expected[i].shape()) << i;
    EXPECT_EQ(0, std::memcmp(got[i].raw_data(), expected[i].raw_data(), expected[i].num_bytes()))
        << i;
  }
}

TEST(KeptArguments, GivesTheSameBits) {
  const std::vector<Tensor> arguments = {
      Vector<float>({1.5f, -0.0f, std::numeric_limits<float>::denorm_min()}),
      Vector<int64_t>({0, 65535}),
      Vector<int64_t>({0, 65536, 4294967295}),
      Vector<int64_t>({4294967296, 1}),
      Vector<int64_t>({-1, 3}),
      Vector<int64_t>({std::numeric_limits<int64_t>::min()}),
      Vector<int32_t>({-7, 7}),
      Vector<uint8_t>({255}),
      Tensor::FromBools({true, false, true}, Shape{3, 1}),
      Tensor::FromVector<double>({0.1}, Shape()),
      Tensor::FromVector<int64_t>({}, Shape{2, 0, 3}),
      Tensor::FromStrings({"as it is", ""}, Shape{2}).WithShape(Shape{1, 2}),
  };
  const KeptArguments kept(arguments, {});
  EXPECT_EQ(kept.themselves().size(), 1u);  // texts
  const std::vector<Tensor> got = kept.Get();
  ASSERT_EQ(got.size(), arguments.size());
  ExpectSame({got.begin(), got.end() - 1}, {arguments.begin(), arguments.end() - 1});
  EXPECT_EQ(got.back().id(), arguments.back().id());
}

TEST(KeptArguments, NoneAreNone) {
  EXPECT_TRUE(KeptArguments().Get().empty());
  EXPECT_TRUE(KeptArguments({}, {}).Get().empty());
}

// The indices of a batch take a fourth of their memory.
TEST(KeptArguments, WholeNumbersAreNarrow) {
  std::vector<int64_t> indices(64);
  for (int64_t i = 0; i < 64; ++i) indices[static_cast<size_t>(i)] = i * 1000;
  EXPECT_LT(KeptArguments(std::vector{Vector(indices)}, {}).num_bytes_copied(), 150u);
}

TEST(KeptArguments, WhatIsLargeIsKeptItselfAndOnce) {
  const Tensor data = Vector(std::vector<float>(257)), limit = Vector(std::vector<float>(256));
  const Tensor resource = Variable(Scalar<float>(0)).handle();
  const std::vector<Tensor> first = {data, limit, resource}, second = {data, resource, limit};
  const KeptArguments one(first, {}), two(second, one), three({&data, 1}, two);
  ASSERT_EQ(one.themselves().size(), 2u);
  EXPECT_EQ(one.themselves().data(), two.themselves().data());
  EXPECT_NE(two.themselves().data(), three.themselves().data());
  EXPECT_EQ(two.Get()[0].id(), data.id());
  EXPECT_EQ(two.Get()[1].id(), resource.id());
  ExpectSame({two.Get()[2]}, {limit});
}

// As a check for races asks where a value is from, and numbers of programs give way to tensors'.
TEST(KeptArguments, WhatACopyWouldNotTellIsKeptItself) {
  const Variable variable(Vector<float>({1, 2}));
  const Tensor read = variable.value(), weak = 3;
  const std::vector<Tensor> arguments = {read, weak};
  const std::vector<Tensor> got = KeptArguments(arguments, {}).Get();
  EXPECT_EQ(got[0].id(), read.id());
  EXPECT_TRUE(got[1].is_weak());
}

TEST(KeptArguments, OutliveWhatTheyWereMadeOf) {
  KeptArguments kept;
  {
    const std::vector<Tensor> arguments = {Vector<int64_t>({5, 6}),
                                           Vector(std::vector<float>(1000, 2))};
    kept = KeptArguments(arguments, {});
  }
  EXPECT_EQ(kept.Get()[0].ToVector<int64_t>(), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(kept.Get()[1].ToVector<float>(), std::vector<float>(1000, 2));
}

}  // namespace
}  // namespace lockstep::distribute
