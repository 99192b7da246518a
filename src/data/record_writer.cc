#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/file.h"
#include "base/record_format.h"
#include "lockstep/data/record.h"

namespace lockstep {

namespace {

constexpr size_t kBufferBytes = size_t{256} * 1024;

// Compresses on the way into a file, or not.
class Packer {
 public:
  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() {
    if (packs_) deflateEnd(&stream_);
  }

  Status Begin(std::unique_ptr<base::WritableFile> file, Compression compression) {
    file_ = std::move(file);
    if (compression == Compression::kNone) return Status::Ok();
    const int window = compression == Compression::kGzip ? 15 + 16 : 15;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      return Status(Code::kResourceExhausted, "[tfrecord] there must be memory for zlib; got none");
    }
    packs_ = true;
    return Status::Ok();
  }

  Status Append(std::string_view bytes) {
    if (packs_) return Deflate(bytes, Z_NO_FLUSH);
    return file_->Append(std::as_bytes(std::span(bytes.data(), bytes.size())));
  }

  Status Close() {
    if (packs_) LOCKSTEP_RETURN_IF_ERROR(Deflate({}, Z_FINISH));
    return file_->Close();
  }

 private:
  Status Deflate(std::string_view bytes, int flush) {
    std::vector<unsigned char> out(kBufferBytes);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    size_t left = bytes.size();
    int code = Z_OK;
    do {
      const auto step = static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max()));
      stream_.avail_in = step;
      stream_.next_out = out.data();
      stream_.avail_out = static_cast<uInt>(out.size());
      code = deflate(&stream_, flush);
      left -= step - stream_.avail_in;
      LOCKSTEP_RETURN_IF_ERROR(
          file_->Append(std::as_bytes(std::span(out.data(), out.size() - stream_.avail_out))));
    } while (left > 0 || stream_.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END));
    return Status::Ok();
  }

  std::unique_ptr<base::WritableFile> file_;
  z_stream stream_ = {};
  bool packs_ = false;
};

}  // namespace

class TFRecordWriter::Stream {
 public:
  explicit Stream(std::string path) : path_(std::move(path)) {}
  ~Stream() {
    if (open_) (void)Close();
  }

  Status Begin(Compression compression) {
    LOCKSTEP_ASSIGN_OR_RETURN(auto file, base::LocalFiles().Create(path_));
    open_ = true;
    return packer_.Begin(std::move(file), compression);
  }
  Status Write(std::string_view record) {
    LOCKSTEP_RETURN_IF_ERROR(RequireOpen());
    waiting_ += base::RecordHeader(record.size());
    if (record.size() < kBufferBytes) {
      waiting_ += record;
    } else {  // large ones go their way without a copy
      LOCKSTEP_RETURN_IF_ERROR(Flush());
      LOCKSTEP_RETURN_IF_ERROR(packer_.Append(record));
    }
    waiting_ += base::RecordFooter(record);
    return waiting_.size() < kBufferBytes ? Status::Ok() : Flush();
  }
  Status Flush() {
    LOCKSTEP_RETURN_IF_ERROR(RequireOpen());
    const Status status = packer_.Append(waiting_);
    waiting_.clear();
    return status;
  }
  Status Close() {
    LOCKSTEP_RETURN_IF_ERROR(Flush());
    open_ = false;
    return packer_.Close();
  }

 private:
  Status RequireOpen() const {
    if (open_) return Status::Ok();
    return Status(
        Code::kFailedPrecondition,
        "[tfrecord] the writer must be open; got a closed one (" + path_ + "); open another file");
  }

  std::string path_;
  std::string waiting_;
  Packer packer_;
  bool open_ = false;
};

TFRecordWriter::TFRecordWriter(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
TFRecordWriter::TFRecordWriter(TFRecordWriter&&) noexcept = default;
TFRecordWriter& TFRecordWriter::operator=(TFRecordWriter&&) noexcept = default;
TFRecordWriter::~TFRecordWriter() = default;

Result<TFRecordWriter> TFRecordWriter::Open(const std::string& path, Compression compression) {
  auto stream = std::make_unique<Stream>(path);
  LOCKSTEP_RETURN_IF_ERROR(stream->Begin(compression));
  return TFRecordWriter(std::move(stream));
}

Status TFRecordWriter::Write(std::string_view record) { return stream_->Write(record); }
Status TFRecordWriter::Flush() { return stream_->Flush(); }
Status TFRecordWriter::Close() { return stream_->Close(); }

}  // namespace lockstep
