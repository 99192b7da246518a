#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What the launcher and the keeper of a task tell each other through two pipes: frames of a
/// letter, a length of four bytes (little endian) and so many bytes.

namespace lockstep::cluster {

enum class FrameKind : char {
  // from the keeper
  kAddress = 'A',    // "host:port" of the reserved port
  kStarted = 'S',    // the task's process number
  kOutput = 'O',     // bytes of its standard output
  kError = 'E',      // bytes of its standard error
  kListening = 'L',  // it listens at its port
  kEnded = 'X',      // "status signal", and the EndedProcess as text
  kFailed = 'F',     // a text: it could not be started
  // to the keeper
  kRun = 'R',     // a packed RunOrder
  kSignal = 'K',  // a signal's number
  kGone = 'G',    // an EndedProcess of another host, as text
};

struct Frame {
  FrameKind kind;
  std::string body;
};

std::string PackFrame(FrameKind kind, std::string_view body);

/// Takes frames out of a stream of bytes.
class FrameReader {
 public:
  void Feed(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole frame; false if there is none yet, or the stream is broken.
  bool Take(Frame* frame);
  /// A length that no frame has: this is not a keeper's stream.
  bool broken() const { return broken_; }

 private:
  std::string bytes_;
  size_t place_ = 0;
  bool broken_ = false;
};

/// A program to run, with what its environment has more, or less: names that end with '*' stand for
/// all that begin so.
struct RunOrder {
  std::string directory;
  std::vector<std::string> arguments;
  std::vector<std::string> unset;
  std::vector<std::pair<std::string, std::string>> set;

  std::string Pack() const;
  /// False if the text is not a packed order.
  static bool Unpack(std::string_view text, RunOrder* order);
};

}  // namespace lockstep::cluster
