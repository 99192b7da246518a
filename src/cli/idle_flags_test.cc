#include "cli/idle_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(IdleFlags, NamesWhatChangesNothing) {
  EXPECT_THAT(IdleFlags({}), IsEmpty());
  EXPECT_THAT(IdleFlags({.strategy = "multi_worker",
                         .digest_every = 1,
                         .digest_check = 5,
                         .min_workers = 2,
                         .max_workers = 3,
                         .speculate = true,
                         .json = true}),
              IsEmpty());
  const std::string cure = "; --strategy multi_worker or parameter_server has workers";
  EXPECT_THAT(IdleFlags({.digest_check = 5, .min_workers = 2, .max_workers = 3, .speculate = true}),
              ElementsAre("--min-workers changes nothing with --strategy mirrored" + cure,
                          "--max-workers changes nothing with --strategy mirrored" + cure,
                          "--speculate changes nothing with --strategy mirrored" + cure,
                          "--digest-check changes nothing with --strategy mirrored" + cure));
  EXPECT_THAT(
      IdleFlags({.epochs = 0,
                 .steps = 10,

                 .digest_every = 1,
                 .cnn_plain = true}),
      ElementsAre("--cnn-plain changes nothing with --model mlp; it is for --model cnn",
                  "--digest-every changes nothing with text as output; --json prints the digests",
                  "--steps changes nothing with --epochs 0; leave out --epochs"));
  EXPECT_THAT(IdleFlags({.replicas = 3, .shards = 11}), IsEmpty());
  EXPECT_THAT(IdleFlags({.replicas = 3, .shards = 12}),
              ElementsAre("--shards 12 leaves shards without examples: a replica's part of a batch "
                          "has 11"));
}

}  // namespace
}  // namespace lockstep::cli
