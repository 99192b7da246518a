#include "data/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "data/synthetic_text.h"
#include "data/written_files_test.h"

namespace lockstep::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TextCorpus, CutsContiguousWindowsWithOneByteMore) {
  const auto corpus = TextCorpus::FromBytes("text", Counting(11), 3);
  ASSERT_TRUE(corpus.ok());
  EXPECT_EQ(corpus->num_windows(), 3);
  EXPECT_THAT(corpus->Window(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(corpus->Window(2), ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(TextCorpus::FromBytes("text", Counting(10), 3)->num_windows(), 3);
  EXPECT_EQ(TextCorpus::FromBytes("text", Counting(9), 3)->num_windows(), 2);
  EXPECT_EQ(TextCorpus::FromBytes("text", Counting(2), 1)->num_windows(), 1);
}

TEST(TextCorpus, BatchesAreAFunctionOfTheStepAndWrap) {
  const auto corpus = TextCorpus::FromBytes("text", Counting(11), 3);
  ASSERT_TRUE(corpus.ok());
  const TextBatch first = corpus->Batch(0, 2);
  EXPECT_EQ(first.rows, 2);
  EXPECT_EQ(first.tokens, 3);
  EXPECT_THAT(first.inputs, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(first.targets, ElementsAre(1, 2, 3, 4, 5, 6));
  const TextBatch second = corpus->Batch(1, 2);
  EXPECT_THAT(second.inputs, ElementsAre(6, 7, 8, 0, 1, 2));
  EXPECT_THAT(second.targets, ElementsAre(7, 8, 9, 1, 2, 3));
  const TextBatch wide = corpus->Batch(0, 7);  // more rows than windows
  EXPECT_THAT(std::span(wide.inputs).subspan(9, 3), ElementsAre(0, 1, 2));
  EXPECT_TRUE(corpus->Batch(5, 0).inputs.empty());
  // 2^63 - 1 is 1 modulo 3: the windows of step 1.
  const TextBatch late = corpus->Batch(std::numeric_limits<int64_t>::max(), 2);
  EXPECT_EQ(late.inputs, second.inputs);
}

TEST(TextCorpus, ReadsAnyBytesPlainAndCompressed) {
  const TestFolder folder;
  Bytes content = Joined(Counting(150'000), {0, 255, 0, 13, 10, 0x1f, 0x8b});
  for (const Bytes& file : {content, Gzip(content)}) {
    const auto corpus = TextCorpus::Open(folder.Write("text", file), 128);
    ASSERT_TRUE(corpus.ok()) << corpus.status().ToString();
    EXPECT_TRUE(
        std::equal(content.begin(), content.end(), corpus->bytes().begin(), corpus->bytes().end()));
  }
}

TEST(TextCorpus, RefusesWhatFillsNoWindow) {
  const TestFolder folder;
  const std::string path = folder.Write("short", Counting(128));
  const auto too_short = TextCorpus::Open(path, 128);
  EXPECT_EQ(too_short.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(too_short.status().message(),
            "[text] a text must be longer than the 128 tokens of a window; got 128 bytes (" + path +
                "); use a longer text or fewer tokens");
  EXPECT_EQ(TextCorpus::Open(path, 127)->num_windows(), 1);
  const auto empty = TextCorpus::Open(folder.Write("empty", {}), 8);
  EXPECT_EQ(empty.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(empty.status().message(), "[text] a text must have bytes; got 0 bytes (" +
                                          folder.Path("empty") +
                                          "); the file is empty: name another");
  EXPECT_EQ(TextCorpus::Open(folder.Path("none"), 8).status().code(), Code::kNotFound);
  EXPECT_EQ(TextCorpus::Open(folder.path(), 8).status().code(), Code::kInvalidArgument);
  const auto no_tokens = TextCorpus::Open(path, 0);
  EXPECT_EQ(no_tokens.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(no_tokens.status().message(), HasSubstr("must have a token or more; got 0"));
}

TEST(TextCorpus, RefusesMoreBytesThanItsLimit) {
  const TestFolder folder;
  const std::string bomb = folder.Write("bomb", Gzip(Bytes(5'000'000)));
  const auto corpus = TextCorpus::Open(bomb, 8, 100'000);
  EXPECT_EQ(corpus.status().code(), Code::kResourceExhausted);
  EXPECT_EQ(corpus.status().message(), "[text] a text must have at most 100000 bytes; got more (" +
                                           bomb + "); split the file");
  const std::string exact = folder.Write("exact", Counting(100));
  EXPECT_TRUE(TextCorpus::Open(exact, 8, 100).ok());
  EXPECT_EQ(TextCorpus::Open(exact, 8, 99).status().code(), Code::kResourceExhausted);
}

TEST(SyntheticText, IsAFunctionOfItsSeed) {
  const auto text = MakeSyntheticText(1, 10'000);
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const uint8_t byte : text) hash = (hash ^ byte) * 0x100000001b3u;
  EXPECT_EQ(hash, 0xe1f41c4642b01467u);
  EXPECT_NE(MakeSyntheticText(2, 10'000), text);
  for (const int64_t count : {0, 1, 777}) {
    EXPECT_EQ(MakeSyntheticText(1, count), Front(text, count));
  }
}

TEST(SyntheticText, LooksLikeEnglish) {
  const auto bytes = MakeSyntheticText(5, 1'000'000);
  const std::string text(bytes.begin(), bytes.end());
  EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,.;\"?\n"),
            std::string::npos);
  for (const char* never : {"  ", " .", " ,", "?\"a", ".T", "fox see ", "foxes sees "}) {
    EXPECT_EQ(text.find(never), std::string::npos) << never;
  }
  for (const char* once : {"The ", "\n\n", "?\" asked ", "fox sees ", "foxes see ", ", and "}) {
    EXPECT_NE(text.find(once), std::string::npos) << once;
  }
}

}  // namespace
}  // namespace lockstep::data
