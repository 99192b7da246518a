#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace lockstep::base {

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(LocalFiles().Open(path).status());  // with the error's own words
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  void* memory = nullptr;
  bool mapped = file >= 0 && ::fstat(file, &about) == 0;
  if (mapped && about.st_size > 0) {
    memory = ::mmap(nullptr, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    mapped = memory != MAP_FAILED;
  }
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!mapped) {
    return Status(Code::kUnavailable, std::string("[file] mapping must succeed; got ") +
                                          std::strerror(error) + " (" + path + ")");
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(memory), static_cast<size_t>(about.st_size)}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace lockstep::base
