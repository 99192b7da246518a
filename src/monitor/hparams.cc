// Hyperparameters of runs. Source: tensorboard/plugins/hparams, plugin_data.proto and api.proto.

#include "base/hash.h"
#include "base/wire.h"
#include "lockstep/monitor/summary.h"
#include "monitor/summary_proto.h"

namespace lockstep::summary {

namespace {

using base::WireWriter;

// google.protobuf.Value.
WireWriter ValueProto(const HParam& value) {
  WireWriter proto;
  if (const auto* number = std::get_if<double>(&value)) proto.Double(2, *number);
  if (const auto* text = std::get_if<std::string>(&value)) proto.Bytes(3, *text);
  if (const auto* flag = std::get_if<bool>(&value)) proto.Varint(4, *flag ? 1 : 0);
  return proto;
}

// A summary under one of the plugin's tags; the data are in the metadata, the tensor holds nothing.
std::string PluginSummary(const std::string& tag, int field, const WireWriter& message) {
  WireWriter data;  // version 0, which is the only one
  data.Message(field, message);
  const Tensor nothing = Tensor::FromVector(std::vector<float>{}, Shape{0});
  return monitor::SummaryProto("_hparams_/" + tag, nothing, {"hparams", data.bytes()});
}

// 1: string, 2: bool, 3: float64.
int TypeOf(const HParam& value) {
  constexpr int kTypes[] = {3, 1, 2};
  return kTypes[value.index()];
}

WireWriter HParamInfoProto(const HParamInfo& info) {
  WireWriter proto;
  proto.Bytes(1, info.name);
  if (!info.description.empty()) proto.Bytes(3, info.description);
  proto.Varint(4, info.values.empty() ? 3 : TypeOf(info.values[0]));
  if (!info.values.empty()) {
    WireWriter list;
    for (const HParam& value : info.values) list.Message(1, ValueProto(value));
    proto.Message(5, list);
  } else if (info.interval) {
    WireWriter interval;
    interval.Double(1, info.interval->first).Double(2, info.interval->second);
    proto.Message(6, interval);
  }
  return proto;
}

}  // namespace

std::string HParams(const std::map<std::string, HParam>& values, const std::string& trial,
                    double start_time_seconds) {
  WireWriter session;
  for (const auto& [name, value] : values)
    session.Message(1, WireWriter().Bytes(1, name).Message(2, ValueProto(value)));
  std::string group = trial;
  if (group.empty()) {
    base::Digest digest;
    digest.Add(session.bytes());
    group = digest.Hex();
  }
  session.Bytes(4, group);
  if (start_time_seconds != 0) session.Double(5, start_time_seconds);
  return PluginSummary("session_start_info", 3, session);
}

std::string HParamsEnd(bool success, double end_time_seconds) {
  WireWriter end;
  end.Varint(1, success ? 1 : 2);
  if (end_time_seconds != 0) end.Double(2, end_time_seconds);
  return PluginSummary("session_end_info", 4, end);
}

std::string HParamsConfig(const std::vector<HParamInfo>& hparams,
                          const std::vector<MetricInfo>& metrics) {
  WireWriter experiment;
  for (const HParamInfo& info : hparams) experiment.Message(4, HParamInfoProto(info));
  for (const MetricInfo& info : metrics) {
    WireWriter name, metric;
    if (!info.group.empty()) name.Bytes(1, info.group);
    metric.Message(1, name.Bytes(2, info.tag));
    if (!info.display_name.empty()) metric.Bytes(3, info.display_name);
    experiment.Message(5, metric);
  }
  return PluginSummary("experiment", 2, experiment);
}

}  // namespace lockstep::summary
