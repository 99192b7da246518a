#pragma once

#include <cstdint>
#include <utility>

namespace lockstep::distribute {

/// Bits of notes.
enum Note : uint32_t {
  kStopNote = 1,    // training shall end after this step
  kChangeNote = 2,  // somebody waits to join or to leave
  kPaceNote = 4,    // one of this and the next five bits: how long a run takes here (followers.h)
  kPaceNotes = 0x3F * kPaceNote,
};

/// What ranks tell each other with the messages of their runs, and what these messages say of how
/// far all are. All ranks begin and end the same runs in the same order.
class Notes {
 public:
  /// Tells all ranks, with the next run's messages, that the bits of `note` hold here.
  void Raise(uint32_t note) { own_ |= note; }
  void Lower(uint32_t note) { own_ &= ~note; }
  uint32_t own() const { return own_; }
  /// What any rank had raised before the run that ended last: the same on all ranks.
  uint32_t heard() const { return heard_; }
  void set_heard(uint32_t heard) { heard_ = heard; }
  /// The same told by other means than a run's messages.
  void HearOfAll(uint32_t notes) {
    heard_ = notes;
    ++hearings_;
  }

  // For programs.

  /// Begins a run, and gives what it is to tell. What a rank that rests tells is heard when the
  /// others have passed it on, in a later run.
  uint32_t BeginRun(bool rests = false) {
    ++runs_;
    is_silent_ = false;
    hearing_ = rests ? 0 : own_ | std::exchange(to_pass_on_, 0);
    return rests ? own_ : hearing_;
  }
  /// In place of it where nobody who rests is told anything in the run, and so nobody hears
  /// anything; the same on all ranks.
  void BeginSilentRun() {
    ++runs_;
    is_silent_ = true;
  }
  bool is_silent() const { return is_silent_; }
  /// The run has messages that carry notes; the same on all ranks.
  void BringsNotes() { hears_ = true; }
  /// The note of another rank that works.
  void Hear(uint32_t note) { hearing_ |= note; }
  /// Of who rests; in any run.
  void HearToPassOn(uint32_t note) { to_pass_on_ |= note; }
  /// Ends a run that all have been in; all have begun the run `all_began` for certain. Gives
  /// whether it brought notes.
  bool EndRun(uint64_t all_began) {
    if (is_silent_) {
      heard_ = 0;
      ++hearings_;  // who asks for changes has not missed any
      return false;
    }
    heard_ = hearing_;
    if (!std::exchange(hears_, false)) return false;
    ++hearings_;
    ++meetings_;
    all_began_ = all_began;
    return true;
  }
  bool EndRun() { return EndRun(runs_); }
  /// In place of both, for programs without notes: a run needed a message of every rank.
  void Met() {
    all_began_ = ++runs_;
    ++meetings_;
  }
  /// Other ranks than so far: what was heard of those is over.
  void BeginEpoch() {
    hears_ = false;
    to_pass_on_ = 0;
  }

  /// How many runs carried every rank's note to all.
  uint64_t hearings() const { return hearings_; }
  /// How many runs needed a message of every rank, or of every one that works.
  uint64_t meetings() const { return meetings_; }
  /// How many runs have begun here.
  uint64_t runs() const { return runs_; }
  /// So many have begun on all ranks, as far as is known here.
  uint64_t all_began() const { return all_began_; }

 private:
  uint32_t own_ = 0;
  uint32_t hearing_ = 0;
  uint32_t heard_ = 0;
  uint32_t to_pass_on_ = 0;  // what those who rest have told
  bool hears_ = false;
  bool is_silent_ = false;
  uint64_t runs_ = 0;
  uint64_t all_began_ = 0;
  uint64_t hearings_ = 0;
  uint64_t meetings_ = 0;
};

}  // namespace lockstep::distribute
