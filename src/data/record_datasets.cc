// Records, lines and bytes of files as datasets.

#include <glob.h>

#include <algorithm>
#include <utility>

#include "base/mapped_file.h"
#include "base/record_format.h"
#include "data/file_source.h"
#include "data/packing.h"
#include "data/rows.h"
#include "lockstep/data/files.h"
#include "tensor/buffer.h"

namespace lockstep {

namespace {

using data::ByteReader;
using data::FileSourceNode;
using data::Refuse;

std::vector<TensorSpec> OneString() { return {{DType::kString, Shape{}}}; }

Element StringElement(std::string text) { return {data::TensorOfTexts({&text, 1}, Shape{})}; }

Dataset Texts(const char* kind, const std::vector<std::string>& files,
              FileSourceNode::OpenTexts open) {
  return Dataset(std::make_shared<FileSourceNode>(kind, files, std::move(open)));
}

void RequireFiles(const char* where, const std::vector<std::string>& files) {
  if (files.empty()) Refuse(where, "there must be a file", "none", "name one or several");
}

template <typename T>
std::shared_ptr<T> Share(Result<T> opened) {
  opened.status().OrThrow();
  return std::make_shared<T>(std::move(opened).value());
}

// Where the records of files begin.
class RecordIndex {
 public:
  explicit RecordIndex(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      files_.push_back({path, base::MappedFile::Open(path).OrThrow()});
      Scan(files_.size() - 1);
    }
  }
  int64_t size() const { return static_cast<int64_t>(places_.size()); }

  Element At(int64_t index) const {
    const Place& place = places_[index];
    const File& file = files_[place.file];
    const std::string_view record = file.text().substr(place.offset, place.length);
    const std::string_view footer =
        file.text().substr(place.offset + place.length, base::kRecordFooterBytes);
    if (!base::RecordFooterFits(footer, record)) Damaged(file, place.offset);
    return StringElement(std::string(record));
  }

 private:
  struct File {
    std::string path;
    std::shared_ptr<const base::MappedFile> mapped;
    std::string_view text() const {
      const auto bytes = mapped->bytes();
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
  };
  struct Place {
    size_t file;
    uint64_t offset, length;
  };

  [[noreturn]] static void Damaged(const File& file, uint64_t offset) {
    throw Error(Code::kDataLoss,
                "[tfrecord] a record must be whole and have its checksums; got another (byte " +
                    std::to_string(offset) + " of " + file.path +
                    "); write the file again, or leave `indexed` out where it is compressed");
  }
  void Scan(size_t number) {
    constexpr uint64_t kAround = base::kRecordHeaderBytes + base::kRecordFooterBytes;
    const File& file = files_[number];
    const std::string_view text = file.text();
    for (uint64_t offset = 0; offset < text.size();) {
      const uint64_t left = text.size() - offset;
      uint64_t length = 0;
      if (left < kAround ||
          !base::ParseRecordHeader(text.substr(offset, base::kRecordHeaderBytes), length) ||
          length > left - kAround)
        Damaged(file, offset);
      places_.push_back({number, offset + base::kRecordHeaderBytes, length});
      offset += length + kAround;
    }
  }

  std::vector<File> files_;
  std::vector<Place> places_;
};

Dataset IndexedRecords(const std::vector<std::string>& files) {
  const auto index = std::make_shared<const RecordIndex>(files);
  return Dataset(data::MakeIndexed("indexed_tfrecord(" + std::to_string(files.size()) + " files)",
                                   index->size(), OneString(),
                                   [index](int64_t number) { return index->At(number); }));
}

// Bytes of a file by pieces.
class PieceReader {
 public:
  explicit PieceReader(ByteReader bytes) : bytes_(std::move(bytes)), piece_(size_t{1} << 16) {}

  // The next byte, or -1 at the end.
  int Get() {
    if (place_ == filled_ && !Fill()) return -1;
    return piece_[place_++];
  }
  // Up to and without the next `end`, which is passed over; false at the end of the file.
  bool ReadUntil(uint8_t end, std::string& text) {
    text.clear();
    if (place_ == filled_ && !Fill()) return false;
    while (true) {
      const auto begin = piece_.begin() + static_cast<int64_t>(place_);
      const auto stop = piece_.begin() + static_cast<int64_t>(filled_);
      const auto found = std::find(begin, stop, end);
      text.append(begin, found);
      place_ = found - piece_.begin();
      if (found != stop) {
        ++place_;
        return true;
      }
      if (!Fill()) return true;
    }
  }
  const std::string& name() const { return bytes_.name(); }

 private:
  bool Fill() {
    auto got = bytes_.Read(piece_);
    got.status().OrThrow();
    filled_ = *got;
    place_ = 0;
    return filled_ > 0;
  }

  ByteReader bytes_;
  std::vector<uint8_t> piece_;
  size_t place_ = 0, filled_ = 0;
};

std::shared_ptr<PieceReader> OpenPieces(const std::string& path, Compression compression) {
  auto bytes = ByteReader::Open(path, data::PackingOf(compression));
  bytes.status().OrThrow();
  return std::make_shared<PieceReader>(std::move(bytes).value());
}

// The records of one file between its header and footer. The footer is not known before the end,
// so that much is held back.
class FixedRecords {
 public:
  FixedRecords(ByteReader bytes, int64_t record_bytes, const FixedLengthOptions& options)
      : bytes_(std::move(bytes)), record_bytes_(record_bytes), options_(options) {
    std::string header;
    if (Take(options.header_bytes, header) < options.header_bytes) Refuse(0);
    (void)Take(options.footer_bytes, held_);
  }
  bool Next(std::string& record) {
    std::string more;
    const int64_t got = Take(record_bytes_, more);
    if (got == 0) {
      if (static_cast<int64_t>(held_.size()) < options_.footer_bytes) Refuse(0);
      return false;
    }
    if (got < record_bytes_) Refuse(got);
    held_ += more;
    record.assign(held_, 0, record_bytes_);
    held_.erase(0, record_bytes_);
    return true;
  }

 private:
  int64_t Take(int64_t count, std::string& into) {
    constexpr int64_t kPiece = 1 << 20;
    into.clear();
    while (static_cast<int64_t>(into.size()) < count) {
      const size_t had = into.size();
      const auto want = static_cast<size_t>(std::min<int64_t>(count - had, kPiece));
      into.resize(had + want);
      auto got = bytes_.Read({reinterpret_cast<uint8_t*>(into.data()) + had, want});
      got.status().OrThrow();
      into.resize(had + *got);
      if (*got < want) break;
    }
    return static_cast<int64_t>(into.size());
  }
  [[noreturn]] void Refuse(int64_t left) const {
    throw Error(Code::kInvalidArgument,
                "[dataset.fixed_length_record] a file is its header, records of " +
                    std::to_string(record_bytes_) + " bytes, and its footer; got " +
                    (left == 0 ? std::string("less than header and footer")
                               : std::to_string(left) + " bytes over") +
                    " (" + bytes_.name() + "); correct the sizes");
  }

  ByteReader bytes_;
  int64_t record_bytes_;
  FixedLengthOptions options_;
  std::string held_;
};

}  // namespace

Dataset TFRecordDataset(const std::vector<std::string>& files, const RecordOptions& options) {
  RequireFiles("tfrecord", files);
  if (options.indexed && options.compression != Compression::kNone)
    Refuse("tfrecord", "files that are indexed must not be compressed", "a compression",
           "leave `indexed` out");
  if (options.indexed) return IndexedRecords(files);
  const auto open = [compression = options.compression](const std::string& path) {
    const auto reader = Share(TFRecordReader::Open(path, compression));
    return [reader](std::string& record) { return reader->Next(record).OrThrow(); };
  };
  return Texts("tfrecord", files, open);
}

Dataset TextLineDataset(const std::vector<std::string>& files, Compression compression) {
  RequireFiles("text_line", files);
  const auto open = [compression](const std::string& path) {
    const auto pieces = OpenPieces(path, compression);
    return [pieces](std::string& line) {
      if (!pieces->ReadUntil('\n', line)) return false;
      std::erase(line, '\r');
      return true;
    };
  };
  return Texts("text_line", files, open);
}

Dataset FixedLengthRecordDataset(const std::vector<std::string>& files, int64_t record_bytes,
                                 const FixedLengthOptions& options) {
  RequireFiles("fixed_length_record", files);
  if (record_bytes < 1 || options.header_bytes < 0 || options.footer_bytes < 0) {
    Refuse("fixed_length_record", "a record has at least 1 byte, header and footer 0 or more",
           std::to_string(record_bytes) + ", " + std::to_string(options.header_bytes) + " and " +
               std::to_string(options.footer_bytes),
           "correct the sizes");
  }
  const auto open = [record_bytes, options](const std::string& path) {
    auto bytes = ByteReader::Open(path, data::PackingOf(options.compression));
    bytes.status().OrThrow();
    const auto records =
        std::make_shared<FixedRecords>(std::move(bytes).value(), record_bytes, options);
    return [records](std::string& record) { return records->Next(record); };
  };
  return Texts("fixed_length_record", files, open);
}

Dataset ListFiles(const std::string& pattern, bool shuffle, std::optional<int64_t> seed) {
  glob_t found = {};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (files.empty()) {
    throw Error(Code::kNotFound, "[dataset.list_files] a file must fit the pattern; got none for " +
                                     pattern + "; check the path");
  }
  const auto count = static_cast<int64_t>(files.size());
  const Dataset sorted = Dataset::FromTensorSlices(Tensor::FromStrings(files, Shape{count}));
  return shuffle ? sorted.Shuffle(count, {.seed = seed}) : sorted;
}

}  // namespace lockstep
