#include "checkpoint/checkpoint_state.h"

#include <charconv>

#include "base/printf.h"

namespace lockstep::checkpoint {

namespace {

constexpr char kStateFileName[] = "checkpoint";

// A text in quotes, with octal escapes for all but printing ASCII.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\'') {
      quoted += '\\';
      quoted += c;
    } else if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      quoted += base::Printf("\\%03o", static_cast<unsigned char>(c));
    }
  }
  return quoted + "\"";
}

std::string Number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

// Takes one "name: value" line apart; values are numbers or quoted texts.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  bool Read(std::string& name, std::string& value, bool& quoted) {
    Skip();
    const size_t colon = rest_.find(':');
    if (colon == std::string_view::npos) return false;
    name = rest_.substr(0, colon);
    rest_.remove_prefix(colon + 1);
    Skip();
    quoted = !rest_.empty() && (rest_[0] == '"' || rest_[0] == '\'');
    if (quoted) return Text(value);
    const size_t end = rest_.find_first_of(" \t\r");
    value = rest_.substr(0, end);
    return !value.empty();
  }

 private:
  void Skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool Text(std::string& value) {
    const char quote = rest_[0];
    value.clear();
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) return true;
      if (rest_[i] != '\\') {
        value += rest_[i];
        continue;
      }
      if (++i == rest_.size()) return false;
      if (!Escape(i, value)) return false;
    }
    return false;
  }
  // The escape at `i`, behind its backslash; `i` stays at its last character.
  bool Escape(size_t& i, std::string& value) {
    const std::string_view known = "n\nt\tr\r\\\\\"\"''";
    for (size_t k = 0; k < known.size(); k += 2) {
      if (rest_[i] != known[k]) continue;
      value += known[k + 1];
      return true;
    }
    int code = 0, digits = 0;
    for (; digits < 3 && i + digits < rest_.size(); ++digits) {
      const char c = rest_[i + digits];
      if (c < '0' || c > '7') break;
      code = code * 8 + (c - '0');
    }
    value += static_cast<char>(code);
    i += digits - 1;
    return digits > 0;
  }

  std::string_view rest_;
};

bool ParseNumber(const std::string& text, double& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

std::string EncodeCheckpointState(const CheckpointState& state) {
  std::string text = "model_checkpoint_path: " + Quoted(state.latest) + "\n";
  for (const std::string& path : state.all)
    text += "all_model_checkpoint_paths: " + Quoted(path) + "\n";
  for (const double time : state.times)
    text += "all_model_checkpoint_timestamps: " + Number(time) + "\n";
  if (state.last_preserved)
    text += "last_preserved_timestamp: " + Number(*state.last_preserved) + "\n";
  return text;
}

std::optional<CheckpointState> DecodeCheckpointState(const std::string& text) {
  CheckpointState state;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line[0] == '#') continue;
    std::string name, value;
    bool quoted = false;
    if (!LineReader(line).Read(name, value, quoted)) return std::nullopt;
    double number = 0;
    if (name == "model_checkpoint_path" && quoted) {
      state.latest = value;
    } else if (name == "all_model_checkpoint_paths" && quoted) {
      state.all.push_back(value);
    } else if (quoted || !ParseNumber(value, number)) {
      return std::nullopt;
    } else if (name == "all_model_checkpoint_timestamps") {
      state.times.push_back(number);
    } else if (name == "last_preserved_timestamp") {
      state.last_preserved = number;
    }
  }
  if (state.latest.empty()) return std::nullopt;
  return state;
}

std::string JoinPath(const std::string& directory, const std::string& name) {
  if (name.starts_with('/') || directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

Status WriteCheckpointState(base::FileSystem& files, const std::string& directory,
                            const CheckpointState& state) {
  return ReplaceFile(files, JoinPath(directory, kStateFileName), EncodeCheckpointState(state));
}

Result<std::optional<CheckpointState>> ReadCheckpointState(base::FileSystem& files,
                                                           const std::string& directory) {
  const std::string path = JoinPath(directory, kStateFileName);
  const auto text = base::ReadWholeFile(files, path);
  if (text.status().code() == Code::kNotFound) return std::optional<CheckpointState>();
  LOCKSTEP_RETURN_IF_ERROR(text.status());
  auto state = DecodeCheckpointState(*text);
  if (!state) {
    return Status(Code::kDataLoss,
                  "[checkpoint] the file `checkpoint` names the latest one; got another text (" +
                      path + "); write model_checkpoint_path: \"NAME\" into it");
  }
  state->latest = JoinPath(directory, state->latest);
  for (std::string& name : state->all) name = JoinPath(directory, name);
  return state;
}

}  // namespace lockstep::checkpoint
