#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/call.h"
#include "collectives/partial_message.h"

namespace lockstep::collectives {

/// The texts of a group's calls. A message carries them the first time that its receiver hears of
/// them, with a number that its sender has given them; from then on it carries the number alone. A
/// rank so knows the texts of each message, letter for letter.
/// Threads: one at a time.
class CallTexts {
 public:
  explicit CallTexts(int num_ranks) : peers_(num_ranks) {}

  /// This rank's number for the texts of `call`; `kNoText` once it has given all its numbers away.
  uint32_t NumberOf(const Call& call);
  /// Whether rank `to` must be sent the texts with this number; from now on it has them.
  bool IsNewTo(int to, uint32_t number);

  /// Keeps the texts of a message of rank `from`, or puts them into one that has the number alone.
  /// False: its sender has sent them in another message, which has not come yet.
  bool Complete(int from, PartialMessage* message);

 private:
  struct Texts {
    std::string label, shape, file;
    uint32_t line;
    CallText view() const { return {label, shape, file, line}; }
  };
  // By number, from 1. What a message refers to stays where it is.
  struct Peer {
    std::vector<bool> knows;
    std::vector<std::unique_ptr<const Texts>> texts;
  };

  std::vector<Texts> own_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::vector<Peer> peers_;
};

}  // namespace lockstep::collectives
