#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lockstep::base {

namespace {

Code CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Code::kResourceExhausted;
    case EISDIR:
      return Code::kInvalidArgument;
    default:
      return Code::kUnavailable;
  }
}

Status Fault(const char* doing, const std::string& path, int error) {
  return Status(CodeOf(error), std::string("[file] ") + doing + " must succeed; got " +
                                   std::strerror(error) + " (" + path + ")");
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  int number() const { return number_; }
  int Close() {
    const int closed = number_ < 0 ? 0 : ::close(number_);
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

class LocalWritableFile final : public WritableFile {
 public:
  LocalWritableFile(std::string path, int number) : path_(std::move(path)), file_(number) {}

  Status Append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return Fault("writing", path_, errno);
      bytes = bytes.subspan(wrote);
    }
    return Status::Ok();
  }
  Status Sync() override {
    return ::fsync(file_.number()) == 0 ? Status::Ok() : Fault("syncing", path_, errno);
  }
  Status Close() override {
    return file_.Close() == 0 ? Status::Ok() : Fault("closing", path_, errno);
  }

 private:
  std::string path_;
  Descriptor file_;
};

class LocalReadableFile final : public ReadableFile {
 public:
  LocalReadableFile(std::string path, int number, uint64_t size)
      : path_(std::move(path)), file_(number), size_(size) {}

  uint64_t size() const override { return size_; }
  Status Read(uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const ssize_t got =
          ::pread(file_.number(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Fault("reading", path_, errno);
      if (got == 0) {
        return Status(Code::kOutOfRange, "[file] what is read must be there; got the end at " +
                                             std::to_string(offset) + " (" + path_ + ")");
      }
      offset += got;
      out = out.subspan(got);
    }
    return Status::Ok();
  }

 private:
  std::string path_;
  Descriptor file_;
  uint64_t size_;
};

class LocalFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path) override {
    return OpenForWriting(path, O_TRUNC);
  }
  Result<std::unique_ptr<WritableFile>> Extend(const std::string& path) override {
    return OpenForWriting(path, O_APPEND);
  }

  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number < 0) return Fault("opening", path, errno);
    struct stat about {};
    const int known = ::fstat(number, &about);
    auto file = std::make_unique<LocalReadableFile>(path, number, about.st_size);
    if (known != 0) return Fault("opening", path, errno);
    if (S_ISDIR(about.st_mode)) return Fault("opening", path, EISDIR);
    return std::unique_ptr<ReadableFile>(std::move(file));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    // A file in the place of /dev/null or of a pipe would break others.
    struct stat place {};
    if (::stat(to.c_str(), &place) == 0 && !S_ISREG(place.st_mode) && !S_ISDIR(place.st_mode)) {
      return Status(Code::kInvalidArgument,
                    "[file] a file must be named, or a free place; got a "
                    "device, pipe or socket (" +
                        to + "); name another place");
    }
    return ::rename(from.c_str(), to.c_str()) == 0 ? Status::Ok() : Fault("renaming", from, errno);
  }
  Status Remove(const std::string& path) override {
    return ::unlink(path.c_str()) == 0 ? Status::Ok() : Fault("removing", path, errno);
  }
  Status CreateDirectories(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error) return Status::Ok();
    const Status fault = Fault("making the directory", path, error.value());
    return Status(fault.code(), fault.message() + "; name another place");
  }
  Status SyncDirectory(const std::string& path) override {
    const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() < 0 || ::fsync(directory.number()) != 0) {
      return Fault("syncing the directory", path, errno);
    }
    return Status::Ok();
  }

  Result<std::vector<std::string>> List(const std::string& path) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator place(path, error), end;
    for (; !error && place != end; place.increment(error)) {
      names.push_back(place->path().filename().string());
    }
    if (error) return Fault("listing", path, error.value());
    std::sort(names.begin(), names.end());
    return names;
  }
  bool IsDirectory(const std::string& path) override {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  }

 private:
  static Result<std::unique_ptr<WritableFile>> OpenForWriting(const std::string& path, int how) {
    const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0644);
    if (number < 0) return Fault("creating", path, errno);
    return std::unique_ptr<WritableFile>(std::make_unique<LocalWritableFile>(path, number));
  }
};

}  // namespace

namespace {
constinit thread_local FileSystem* in_place = nullptr;
}  // namespace

FileSystem& LocalFiles() {
  static LocalFileSystem files;
  return in_place != nullptr ? *in_place : files;
}

FilesScope::FilesScope(FileSystem& files) : before_(in_place) { in_place = &files; }

FilesScope::~FilesScope() { in_place = before_; }

Result<std::string> ReadWholeFile(FileSystem& files, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, files.Open(path));
  std::string text(file->size(), '\0');
  LOCKSTEP_RETURN_IF_ERROR(file->Read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace lockstep::base
