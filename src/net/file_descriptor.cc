#include "net/file_descriptor.h"

#include <unistd.h>

namespace lockstep::net {

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace lockstep::net
