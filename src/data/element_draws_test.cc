#include <gtest/gtest.h>

#include <vector>

#include "lockstep/data/dataset.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/random.h"

// Random ops in the functions of data sets.

namespace lockstep {
namespace {

using Numbers = std::vector<float>;

Numbers Read(DatasetIterator place, int most = 1000) {
  Numbers numbers;
  for (; most > 0 && place != std::default_sentinel; ++place, --most)
    numbers.push_back((*place)[0].scalar<float>());
  return numbers;
}
Numbers Read(const Dataset& dataset) { return Read(dataset.begin()); }

Element Draw(const Element&) { return {RandomUniform({}, 0, 1, {.seed = 3})}; }
Element DrawUnseeded(const Element&) { return {RandomUniform({})}; }

TEST(ElementDraws, FollowFromTheElement) {
  const Dataset all = Dataset::Range(20).Map(Draw);
  const Numbers numbers = Read(all);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_EQ(Read(all), numbers) << "an iterator begins anew";
  EXPECT_EQ(Read(Dataset::Range(20).Map(Draw, {.num_parallel = 4})), numbers);
  const Dataset stream = Dataset::FromGenerator([]() -> Dataset::Generator {
    return [i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == 20) return std::nullopt;
      return Element{Scalar(i++)};
    };
  });
  EXPECT_EQ(Read(stream.Map(Draw)), numbers);
  EXPECT_EQ(Read(stream.Map(Draw, {.num_parallel = 4})), numbers);
  EXPECT_EQ(Read(stream.Map(Draw, {.num_parallel = 4}).Resume({.elements = 7})),
            Numbers(numbers.begin() + 7, numbers.end()));
  EXPECT_EQ(Read(all.Resume({.epoch = 3, .elements = 7})),
            Numbers(numbers.begin() + 7, numbers.end()));
  EXPECT_EQ(Read(all.Shard(20, 5)), Numbers{numbers[5]});
}

TEST(ElementDraws, GoOnInARepeat) {
  const Numbers numbers = Read(Dataset::Range(12).Map(Draw));
  EXPECT_EQ(Read(Dataset::Range(4).Map(Draw).Repeat(3)), numbers);
  EXPECT_EQ(Read(Dataset::Range(4).Map(Draw).Repeat(3).Resume({.elements = 5})),
            Numbers(numbers.begin() + 5, numbers.end()));
  EXPECT_EQ(Read(Dataset::Range(2).Map(Draw).Repeat(2).Repeat(3)), numbers);
  EXPECT_EQ(Read(Dataset::Range(4).Map(Draw).Repeat().begin(), 12), numbers);
  EXPECT_EQ(Read(Dataset::Range(3).Interleave(
                [](const Element&) { return Dataset::Range(4).Map(Draw); }, 1, 1)),
            numbers);
  // Rounds whose length nobody knows before differ, too, if otherwise.
  const Dataset some = Dataset::Range(4).Filter([](const Element&) { return true; });
  const Numbers rounds = Read(some.Map(Draw).Repeat(2));
  EXPECT_EQ(Numbers(rounds.begin(), rounds.begin() + 4), Read(some.Map(Draw)));
  EXPECT_NE(Numbers(rounds.begin() + 4, rounds.end()), Read(some.Map(Draw)));
}

TEST(ElementDraws, WithoutASeedDifferByPass) {
  const Dataset all = Dataset::Range(8).Map(DrawUnseeded, {.num_parallel = 2});
  const Numbers first = Read(all), second = Read(all);
  EXPECT_NE(first, second);
  EXPECT_EQ(Read(all.Resume({.epoch = 0})), first);
  EXPECT_EQ(Read(all.Resume({.epoch = 1, .elements = 3})),
            Numbers(second.begin() + 3, second.end()));
}

TEST(ElementDraws, StepsWithoutASeedDiffer) {
  EXPECT_NE(Read(Dataset::Range(4).Map(DrawUnseeded)), Read(Dataset::Range(4).Map(DrawUnseeded)));
}

TEST(ElementDraws, AllOpsOfAnElementDiffer) {
  const Dataset all = Dataset::Range(4).Map(
      [](const Element&) -> Element { return {RandomUniform({}) - RandomUniform({})}; });
  for (const float number : Read(all)) EXPECT_NE(number, 0);
}

}  // namespace
}  // namespace lockstep
