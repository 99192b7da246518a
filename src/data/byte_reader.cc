#include "data/byte_reader.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace lockstep::data {
namespace {

constexpr size_t kBufferBytes = size_t{64} * 1024;
// Deflate cannot expand by more than this factor (258 bytes from 2 bits, less the block headers).
constexpr int64_t kMostExpansion = 1032;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status OpenError(const std::string& path, int error) {
  const std::string text = std::string("; ") + std::strerror(error) + " (" + path + ")";
  if (error == ENOENT || error == ENOTDIR) {
    return Status(Code::kNotFound, "[read_file] the file must exist" + text + "; check the path");
  }
  if (error == EACCES || error == EPERM) {
    return Status(Code::kPermissionDenied,
                  "[read_file] the file must be readable" + text + "; change its permissions");
  }
  return Status(Code::kUnavailable, "[read_file] the file could not be opened" + text);
}

Status GzipError(const std::string& name, const std::string& got) {
  return Status(Code::kDataLoss, "[gzip] a compressed file must be whole; got " + got + " (" +
                                     name + "); fetch the file again, or test it with `gzip -t`");
}

}  // namespace

// A file or a span of memory, its raw bytes in `buffer_`, and zlib's state if it is compressed.
class ByteReader::Source {
 public:
  Source(std::string name, std::FILE* file, std::optional<int64_t> size)
      : name_(std::move(name)), file_(file), file_bytes_(size), buffer_(kBufferBytes) {}
  Source(std::string name, std::span<const uint8_t> bytes)
      : name_(std::move(name)), raw_(bytes), file_bytes_(bytes.size()) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (compressed_) inflateEnd(&stream_);
  }

  // Looks at the first bytes where nothing else says, and prepares to decompress.
  Status Begin(Packing packing) {
    LOCKSTEP_RETURN_IF_ERROR(Refill());
    const bool magic = raw_.size() >= 2 && raw_[0] == 0x1f && raw_[1] == 0x8b;
    if (packing == Packing::kNone || (packing == Packing::kDetect && !magic)) return Status::Ok();
    one_member_ = packing == Packing::kZlib;
    if (inflateInit2(&stream_, one_member_ ? 15 : 15 + 16) !=
        Z_OK) {  // 16: gzip's header, not zlib's
      return Status(Code::kResourceExhausted, "[gzip] no memory for zlib (" + name_ + ")");
    }
    compressed_ = true;
    return Status::Ok();
  }

  Result<size_t> Read(std::span<uint8_t> out) { return compressed_ ? Inflate(out) : Copy(out); }

  Status LookAhead(const std::function<Status()>& look) {
    if (!file_bytes_) return Status::Ok();
    const Snapshot before(*this);
    LOCKSTEP_RETURN_IF_ERROR(before.status());
    const Status seen = look();
    LOCKSTEP_RETURN_IF_ERROR(before.Restore());
    return seen;
  }

  const std::string& name() const { return name_; }
  bool compressed() const { return compressed_; }
  std::optional<int64_t> file_bytes() const { return file_bytes_; }

 private:
  // The place in the file and zlib's state.
  class Snapshot {
   public:
    explicit Snapshot(Source& source)
        : source_(source), rest_(source.raw_), member_ended_(source.member_ended_) {
      if (source.file_) {
        place_ = ftello(source.file_.get());
        raw_.assign(rest_.begin(), rest_.end());
      }
      if (source.compressed_ && inflateCopy(&stream_, &source.stream_) != Z_OK)
        status_ =
            Status(Code::kResourceExhausted, "[gzip] no memory for zlib (" + source.name_ + ")");
    }
    ~Snapshot() {
      if (source_.compressed_ && status_.ok()) inflateEnd(&stream_);
    }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    const Status& status() const { return status_; }
    Status Restore() const {
      source_.raw_ = rest_;
      source_.member_ended_ = member_ended_;
      if (source_.file_) {
        std::copy(raw_.begin(), raw_.end(), source_.buffer_.begin());
        source_.raw_ = std::span<const uint8_t>(source_.buffer_.data(), raw_.size());
        if (place_ < 0 || fseeko(source_.file_.get(), place_, SEEK_SET) != 0)
          return Status(Code::kUnavailable,
                        "[read_file] reading again failed (" + source_.name_ + ")");
      }
      if (!source_.compressed_) return Status::Ok();
      inflateEnd(&source_.stream_);
      if (inflateCopy(&source_.stream_, &stream_) == Z_OK) return Status::Ok();
      source_.compressed_ = false;
      return Status(Code::kResourceExhausted, "[gzip] no memory for zlib (" + source_.name_ + ")");
    }

   private:
    Source& source_;
    std::span<const uint8_t> rest_;
    std::vector<uint8_t> raw_;
    off_t place_ = 0;
    bool member_ended_;
    mutable z_stream stream_ = {};
    Status status_;
  };

  // Gets more raw bytes if there are none left; none afterwards means the end.
  Status Refill() {
    if (!raw_.empty() || !file_) return Status::Ok();
    const size_t got = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (got < buffer_.size() && std::ferror(file_.get())) {
      return Status(Code::kUnavailable, std::string("[read_file] reading failed; ") +
                                            std::strerror(errno) + " (" + name_ + ")");
    }
    raw_ = std::span<const uint8_t>(buffer_.data(), got);
    return Status::Ok();
  }

  Result<size_t> Copy(std::span<uint8_t> out) {
    size_t done = 0;
    while (done < out.size()) {
      LOCKSTEP_RETURN_IF_ERROR(Refill());
      if (raw_.empty()) break;
      const size_t count = std::min(raw_.size(), out.size() - done);
      std::copy_n(raw_.data(), count, out.data() + done);
      raw_ = raw_.subspan(count);
      done += count;
    }
    return done;
  }

  Result<size_t> Inflate(std::span<uint8_t> out) {
    size_t done = 0;
    while (done < out.size()) {
      LOCKSTEP_RETURN_IF_ERROR(Refill());
      if (member_ended_) {
        if (raw_.empty()) break;
        LOCKSTEP_RETURN_IF_ERROR(BeginNextMember());
      }
      if (raw_.empty()) {
        return GzipError(name_, "the end of the file in the middle of the stream");
      }
      LOCKSTEP_ASSIGN_OR_RETURN(const size_t count, InflateSome(out.subspan(done)));
      done += count;
    }
    return done;
  }

  // Bytes after a member must be another member.
  Status BeginNextMember() {
    if (one_member_ || raw_[0] != 0x1f)
      return GzipError(name_, "other bytes after the end of the stream");
    inflateReset(&stream_);
    member_ended_ = false;
    return Status::Ok();
  }

  Result<size_t> InflateSome(std::span<uint8_t> out) {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    stream_.next_in = const_cast<Bytef*>(raw_.data());
    stream_.avail_in = static_cast<uInt>(std::min(raw_.size(), kMost));
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), kMost));
    const int code = inflate(&stream_, Z_NO_FLUSH);
    raw_ = raw_.subspan(stream_.next_in - raw_.data());
    if (code == Z_STREAM_END) {
      member_ended_ = true;
    } else if (code == Z_MEM_ERROR) {
      return Status(Code::kResourceExhausted, "[gzip] no memory for zlib (" + name_ + ")");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return GzipError(name_, stream_.msg ? stream_.msg : "a stream that needs a dictionary");
    }
    return static_cast<size_t>(stream_.next_out - out.data());
  }

  std::string name_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::span<const uint8_t> raw_;  // bytes of the file that are not used up yet
  std::optional<int64_t> file_bytes_;
  std::vector<uint8_t> buffer_;
  z_stream stream_ = {};
  bool compressed_ = false;
  bool one_member_ = false;
  bool member_ended_ = false;
};

Result<ByteReader> ByteReader::Open(const std::string& path, Packing packing) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) return OpenError(path, errno);
  std::setvbuf(file, nullptr, _IONBF, 0);
  struct stat info = {};
  const bool known = fstat(fileno(file), &info) == 0;
  std::optional<int64_t> size;
  if (known && S_ISREG(info.st_mode)) size = info.st_size;
  ByteReader reader(std::make_unique<Source>(path, file, size));
  if (known && S_ISDIR(info.st_mode)) {
    return Status(Code::kInvalidArgument, "[read_file] a file is needed; got a directory (" + path +
                                              "); name a file in it");
  }
  LOCKSTEP_RETURN_IF_ERROR(reader.source_->Begin(packing));
  return reader;
}

Result<ByteReader> ByteReader::FromMemory(std::string name, std::span<const uint8_t> bytes,
                                          Packing packing) {
  ByteReader reader(std::make_unique<Source>(std::move(name), bytes));
  LOCKSTEP_RETURN_IF_ERROR(reader.source_->Begin(packing));
  return reader;
}

ByteReader::ByteReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
ByteReader::ByteReader(ByteReader&&) noexcept = default;
ByteReader& ByteReader::operator=(ByteReader&&) noexcept = default;
ByteReader::~ByteReader() = default;

Result<size_t> ByteReader::Read(std::span<uint8_t> out) { return source_->Read(out); }
Status ByteReader::LookAhead(const std::function<Status()>& look) {
  return source_->LookAhead(look);
}
const std::string& ByteReader::name() const { return source_->name(); }
bool ByteReader::compressed() const { return source_->compressed(); }
std::optional<int64_t> ByteReader::file_bytes() const { return source_->file_bytes(); }

std::optional<int64_t> ByteReader::largest_content() const {
  const std::optional<int64_t> size = file_bytes();
  if (!size || !compressed()) return size;
  int64_t most;
  if (__builtin_mul_overflow(*size, kMostExpansion, &most)) return std::nullopt;
  return most;
}

}  // namespace lockstep::data
