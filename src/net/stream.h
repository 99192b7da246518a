#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "lockstep/base/status.h"
#include "net/file_descriptor.h"

namespace lockstep::net {

/// How far a step of a stream came.
enum class Flow {
  kMoved,       // some bytes went, or the handshake is done
  kAwaitsRead,  // nothing goes before the socket is readable
  kAwaitsWrite,
  kEnded,   // the other side has closed
  kBroken,  // `fault` says why
};

/// Bytes both ways over a connected socket, plain or encrypted; never blocks.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual int file() const = 0;
  /// To be repeated until kMoved, before anything else.
  virtual Flow Handshake() = 0;
  virtual Flow Read(std::span<std::byte> room, size_t* got) = 0;
  virtual Flow Write(std::span<const std::byte> bytes, size_t* put) = 0;
  virtual std::string fault() const = 0;
};

std::unique_ptr<Stream> MakePlainStream(FileDescriptor socket);

struct Credentials;
struct TlsState;

/// Makes encrypted streams: TLS 1.3, where both sides must show a certificate that the job's
/// authority has signed in the job's name.
class Tls {
 public:
  /// Errors: InvalidArgument, naming the part of the credentials that is none.
  static Result<std::unique_ptr<Tls>> Create(const Credentials& credentials);
  ~Tls();
  std::unique_ptr<Stream> MakeStream(FileDescriptor socket, bool is_server) const;

 private:
  explicit Tls(std::unique_ptr<TlsState> state);
  std::unique_ptr<TlsState> state_;
};

}  // namespace lockstep::net
