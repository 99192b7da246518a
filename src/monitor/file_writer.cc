#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/file.h"
#include "base/printf.h"
#include "base/record_format.h"
#include "base/wire.h"
#include "lockstep/monitor/summary.h"

namespace lockstep::summary {

namespace {

using base::WireWriter;

double SystemSeconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

// Numbers the files of this process, so that two of one second differ.
int NextFileNumber() {
  static std::atomic<int> next{0};
  return next.fetch_add(1);
}

}  // namespace

class FileWriter::Stream {
 public:
  Stream(const std::string& log_dir, WriterOptions options) : options_(std::move(options)) {
    if (!options_.now) options_.now = SystemSeconds;
    last_flush_ = options_.now();
    const std::string seconds = base::Printf("%010lld", static_cast<long long>(last_flush_));
    path_ = log_dir + "/events.out.tfevents." + seconds + "." + HostName() + "." +
            std::to_string(::getpid()) + "." + std::to_string(NextFileNumber()) +
            options_.filename_suffix;
    base::LocalFiles().CreateDirectories(log_dir).OrThrow();
    auto file = base::LocalFiles().Create(path_);
    file.status().OrThrow();
    file_ = std::move(*file);
    WireWriter event, source;  // the first event of every file
    event.Double(1, last_flush_).Bytes(3, "brain.Event:2");
    event.Message(10, source.Bytes(1, "tensorflow.core.util.events_writer"));
    Queue(event.bytes());
    Flush();
  }

  void Write(int field, std::string_view what, int64_t step) {
    std::lock_guard lock(mutex_);
    const double now = options_.now();
    WireWriter event;
    event.Double(1, now);
    if (step != 0) event.Signed(2, step);
    event.Bytes(field, what);
    Queue(event.bytes());
    if (++queued_ >= options_.max_queue || now - last_flush_ >= options_.flush_seconds) Flush();
  }
  void FlushAll() {
    std::lock_guard lock(mutex_);
    Flush();
  }
  void Close() {
    std::lock_guard lock(mutex_);
    if (file_ == nullptr) return;
    Flush();
    const Status status = file_->Close();
    file_.reset();
    status.OrThrow();
  }
  const std::string& path() const { return path_; }

 private:
  void Queue(const std::string& event) {
    if (file_ == nullptr)
      throw Error(
          Code::kFailedPrecondition,
          "[summary] the writer must be open; got a closed one (" + path_ + "); make another one");
    waiting_ += base::RecordHeader(event.size()) + event + base::RecordFooter(event);
  }
  void Flush() {
    if (file_ == nullptr || waiting_.empty()) return;
    const std::string events = std::move(waiting_);
    waiting_.clear();
    queued_ = 0;
    last_flush_ = options_.now();
    file_->Append(std::as_bytes(std::span(events))).OrThrow();
  }

  WriterOptions options_;
  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<base::WritableFile> file_;  // guarded by mutex_
  std::string waiting_;                       // guarded by mutex_
  int queued_ = 0;                            // guarded by mutex_
  double last_flush_ = 0;                     // guarded by mutex_
};

FileWriter::FileWriter(const std::string& log_dir, WriterOptions options)
    : stream_(std::make_unique<Stream>(log_dir, std::move(options))) {}

FileWriter::~FileWriter() {
  try {
    stream_->Close();
  } catch (const Error&) {  // who wants to know closes it himself
  }
}

void FileWriter::Write(std::string_view summary, int64_t step) { stream_->Write(5, summary, step); }
void FileWriter::Graph(std::string_view graph_def, int64_t step) {
  stream_->Write(4, graph_def, step);
}
void FileWriter::Flush() { stream_->FlushAll(); }
void FileWriter::Close() { stream_->Close(); }
const std::string& FileWriter::path() const { return stream_->path(); }

}  // namespace lockstep::summary
