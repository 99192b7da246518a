#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "net/stream.h"

namespace lockstep::net {
namespace {

class PlainStream final : public Stream {
 public:
  explicit PlainStream(FileDescriptor socket) : socket_(std::move(socket)) {}
  int file() const override { return socket_.get(); }
  Flow Handshake() override { return Flow::kMoved; }
  Flow Read(std::span<std::byte> room, size_t* got) override {
    const ssize_t size = recv(socket_.get(), room.data(), room.size(), 0);
    if (size == 0) return Flow::kEnded;
    return Outcome(size, got, Flow::kAwaitsRead);
  }
  Flow Write(std::span<const std::byte> bytes, size_t* put) override {
    return Outcome(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), put,
                   Flow::kAwaitsWrite);
  }
  std::string fault() const override { return std::strerror(error_); }

 private:
  Flow Outcome(ssize_t size, size_t* moved, Flow awaits) {
    *moved = size > 0 ? static_cast<size_t>(size) : 0;
    if (size >= 0) return Flow::kMoved;
    if (errno == EAGAIN || errno == EINTR) return awaits;
    error_ = errno;
    return Flow::kBroken;
  }
  FileDescriptor socket_;
  int error_ = 0;
};

}  // namespace

std::unique_ptr<Stream> MakePlainStream(FileDescriptor socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace lockstep::net
