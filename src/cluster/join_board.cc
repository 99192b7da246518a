#include "cluster/join_board.h"

namespace lockstep::cluster {

std::string DescribeSilence(const Status& status) {
  const std::string& text = status.message();
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  switch (status.code()) {
    case Code::kDeadlineExceeded:
      return "no answer";
    case Code::kUnauthenticated:
      return "has another token";
    case Code::kUnavailable:
      if (says("DNS resolution failed")) return "its host's name has no address";
      // gRPC has reached somebody who does not speak its language.
      if (says("SETTINGS frame") || says("http1.x")) return "another program has its port";
      if (says("certificate verify failed")) return "has keys of another `lockstep cert`";
      if (says("wrong version number")) return "has no keys (LOCKSTEP_CREDENTIALS)";
      if (says("handshake failed")) return "cannot agree on encryption (LOCKSTEP_CREDENTIALS)";
      if (says("Socket closed")) return "closes a call without keys (LOCKSTEP_CREDENTIALS)";
      return "connection refused";
    default:
      return text;
  }
}

bool IsRefusal(const Status& status) {
  return status.code() == Code::kUnavailable &&
         status.message().find("onnection refused") != std::string::npos;
}

JoinBoard::JoinBoard(std::vector<ExpectedTask> expected, base::Time now)
    : expected_(std::move(expected)), since_(now) {}

void JoinBoard::SetHere(const std::vector<Peer>& here) {
  here_.clear();
  for (const Peer& peer : here) here_[{peer.job, peer.index}] = peer;
}

void JoinBoard::Note(const std::string& job, int32_t index, const std::string& fault) {
  faults_[{job, index}] = fault;
}

std::vector<ExpectedTask> JoinBoard::Missing() const {
  std::vector<ExpectedTask> missing;
  for (const ExpectedTask& task : expected_)
    if (!here_.contains({task.job, task.index})) missing.push_back(task);
  return missing;
}

std::string JoinBoard::Text(base::Time now) const {
  const std::vector<ExpectedTask> missing = Missing();
  std::string text = std::to_string(expected_.size() - missing.size()) + " of " +
                     std::to_string(expected_.size()) + " here";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since_).count();
  size_t named = 0;
  for (const ExpectedTask& task : missing) {
    if (++named > 8) return text + " and " + std::to_string(missing.size() - 8) + " more";
    text += (named == 1 ? "; missing " : "; ") + task.job + " " + std::to_string(task.index);
    if (!task.control.empty()) text += " at " + task.control;
    const auto fault = faults_.find({task.job, task.index});
    if (fault != faults_.end()) text += ", " + fault->second;
    text += ", for " + std::to_string(seconds) + " s";
  }
  return text;
}

}  // namespace lockstep::cluster
