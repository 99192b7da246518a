#pragma once

#include <string>

#include "base/clock.h"
#include "cluster/coordinator_state.h"
#include "cluster/handshake.h"

namespace lockstep::cluster {

/// What tasks ask of the leading coordinator. Another task answers with where the leader is.

inline constexpr char kJoinMethod[] = "membership.Join";
inline constexpr char kSubmitMethod[] = "membership.Submit";
inline constexpr char kQueryMethod[] = "membership.Query";
inline constexpr char kReportMethod[] = "membership.Report";
inline constexpr char kWhereMethod[] = "membership.Where";
inline constexpr char kWatchMethod[] = "membership.Watch";

struct JoinRequest {
  Hello hello;
  Peer peer;
  Incarnation group = 0;  // of the state that it holds, if it holds one
};

enum class QueryKind : uint8_t { kGet = 0, kWait = 1, kBarrier = 2, kHealth = 3 };

struct Query {
  QueryKind kind = QueryKind::kGet;
  Incarnation by = 0;
  uint64_t epoch = 0;
  Scope scope = Scope::kJob;
  std::string key;       // of a value, or a barrier's name
  uint64_t meeting = 0;  // kBarrier
  base::Duration timeout{};
  base::Duration waited{};  // before, when it was asked in pieces
};

/// Somebody is out of reach, or the epoch is of no use any more.
struct Report {
  Incarnation by = 0;
  uint64_t epoch = 0;
  Incarnation about = 0;  // 0: nobody
  bool certain = false;   // it has ended, seen with own eyes
  std::string reason;
};

struct WhereRequest {
  Incarnation by = 0;
};
/// What a task knows of the job.
struct WhereReply {
  uint64_t epoch = 0;
  bool is_leader = false;  // and a majority has confirmed it
  bool knows_you = false;  // in that epoch, or as one who waits
  std::string leader;      // its address; empty: unknown
};

/// The answer of the leader, or where it is.
struct Answered {
  bool is_leader = false;
  Code code = Code::kOk;
  std::string text;  // the answer, why there is none, or the leader's address, empty if unknown
};

std::string Encode(const JoinRequest& request);
std::string Encode(const Query& query);
std::string Encode(const Report& report);
std::string Encode(const WhereRequest& request);
std::string Encode(const WhereReply& reply);
std::string Encode(const Answered& answered);
Result<JoinRequest> DecodeJoinRequest(const std::string& text);
Result<Query> DecodeQuery(const std::string& text);
Result<Report> DecodeReport(const std::string& text);
Result<WhereRequest> DecodeWhereRequest(const std::string& text);
Result<WhereReply> DecodeWhereReply(const std::string& text);
Result<Answered> DecodeAnswered(const std::string& text);
/// A task's own command, nothing that only a coordinator may decide.
std::string EncodeSubmit(const Command& command);
Result<Command> DecodeSubmit(const std::string& text);

}  // namespace lockstep::cluster
