#include "base/recent_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace lockstep::base {
namespace {

// All keys share a hash, so that equality decides.
struct OneHash {
  uint64_t operator()(const std::string&) const { return 7; }
};
using Cache = RecentCache<std::string, std::shared_ptr<int>, OneHash>;

TEST(RecentCache, RemovesTheEntryThatWasNotUsedForTheLongestTime) {
  Cache cache({.entries = 2});
  cache.Insert("a", std::make_shared<int>(1));
  cache.Insert("b", std::make_shared<int>(2));
  EXPECT_EQ(*cache.Find("a"), 1);
  cache.Insert("c", std::make_shared<int>(3));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_EQ(*cache.Find("a"), 1);
  EXPECT_EQ(*cache.Find("c"), 3);
}

TEST(RecentCache, LimitsBytesAndKeepsTheNewestEntry) {
  Cache cache({.entries = 10, .bytes = 100});
  cache.Insert("a", std::make_shared<int>(1), 60);
  cache.Insert("b", std::make_shared<int>(2), 40);
  EXPECT_EQ(cache.size(), 2u);
  cache.Insert("c", std::make_shared<int>(3), 500);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(*cache.Find("c"), 3);
  cache.Insert("d", std::make_shared<int>(4), 1);
  EXPECT_EQ(cache.Find("c"), nullptr);
  EXPECT_EQ(*cache.Find("d"), 4);
}

TEST(RecentCache, ValueOfAUserOutlivesItsEntry) {
  Cache cache({.entries = 1});
  cache.Insert("a", std::make_shared<int>(1));
  const std::shared_ptr<int> used = cache.Find("a");
  cache.Insert("b", std::make_shared<int>(2));
  EXPECT_EQ(used.use_count(), 1);
  EXPECT_EQ(*used, 1);
  cache.Clear();
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace lockstep::base
