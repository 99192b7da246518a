#include "check/linearizability.h"

#include <gtest/gtest.h>

#include "lockstep/base/status.h"

namespace lockstep::check {
namespace {

HistoryOperation Write(int64_t from, int64_t to, float value) {
  return {from, to, [value](std::vector<float>* state) {
            (*state)[0] = value;
            return true;
          }};
}
HistoryOperation Read(int64_t from, int64_t to, float value) {
  return {from, to, [value](std::vector<float>* state) { return (*state)[0] == value; }};
}
HistoryOperation Add(int64_t from, int64_t to, float result) {
  return {from, to, [result](std::vector<float>* state) { return ++(*state)[0] == result; }};
}

TEST(Linearizability, FindsAnOrderWhereThereIsOne) {
  EXPECT_TRUE(IsLinearizable({}, {0}));
  EXPECT_TRUE(IsLinearizable({Write(0, 10, 1), Read(1, 2, 0), Read(3, 4, 1)}, {0}));
  EXPECT_TRUE(IsLinearizable({Add(0, 9, 2), Add(1, 8, 1), Read(2, 7, 1)}, {0}));
  // What has not returned may have taken place, or not.
  EXPECT_TRUE(IsLinearizable({Write(0, HistoryOperation::kNever, 1), Read(5, 6, 1)}, {0}));
  EXPECT_TRUE(IsLinearizable({Write(0, HistoryOperation::kNever, 1), Read(5, 6, 0)}, {0}));
}

TEST(Linearizability, FindsNoneWhereThereIsNone) {
  // A stale read, a lost update, a value that comes and goes.
  EXPECT_FALSE(IsLinearizable({Write(0, 1, 1), Read(2, 3, 0)}, {0}));
  EXPECT_FALSE(IsLinearizable({Add(0, 9, 1), Add(1, 8, 1)}, {0}));
  EXPECT_FALSE(IsLinearizable({Write(0, 10, 1), Read(1, 2, 1), Read(3, 4, 0)}, {0}));
  EXPECT_FALSE(
      IsLinearizable({Write(0, HistoryOperation::kNever, 1), Read(5, 6, 1), Read(7, 8, 0)}, {0}));
  EXPECT_THROW(IsLinearizable(std::vector<HistoryOperation>(65, Add(0, 1, 1)), {0}), Error);
}

}  // namespace
}  // namespace lockstep::check
