#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/randomness.h"
#include "cluster/resolvers.h"

namespace lockstep::cluster {
namespace {

Resolution Resolve(const std::string& value) {
  return MakeTfConfigResolver()->Resolve({{"TF_CONFIG", value}});
}

Description Right(const std::string& value) {
  const Resolution resolution = Resolve(value);
  EXPECT_EQ(DescribeMistakes(resolution.mistakes, ""), "") << value;
  return resolution.description.value_or(Description{});
}

struct WrongCase {
  const char* value;
  const char* messages;   // each after "[TF_CONFIG] "
  const char* corrected;  // between the quotes
};

// Mistakes that users of TF_CONFIG report, and what is said of each.
const WrongCase kWrong[] = {
    {R"({"cluster": {"worker": ["a:1", "b:2",]}, "task": {"type": "worker", "index": 0}})",
     R"(a list must not end with a comma; got ,] (line 1, column 37))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0},})",
     R"(an object must not end with a comma; got ,} (line 1, column 79))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({'cluster': {'worker': ['a:1', 'b:2']}, 'task': {'type': 'worker', 'index': 0}})",
     R"(a text must stand in double quotes; got 'cluster' (line 1, column 2, and 7 more))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"('{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}}')",
     R"(the quotes around the value are the shell's and must not be part of it; got ' (line 1, column 1))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"("{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}}")",
     R"(the quotes around the value are the shell's and must not be part of it; got " (line 1, column 1))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"("{\"cluster\": {\"worker\": [\"a:1\", \"b:2\"]}, \"task\": {\"type\": \"worker\", \"index\": 0}}")",
     R"(the value must be an object, not a text that holds one (encoded twice); got "{\"cluster\": {\"worker (line 1, column 1))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({cluster: {worker: [a:1, b:2]}, task: {type: worker, index: 0}})",
     R"(a name must stand in double quotes; got cluster (line 1, column 2, and 4 more)
[TF_CONFIG] a text must stand in double quotes; got a:1 (line 1, column 21, and 2 more))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0})",
     R"(an object must end with }; got the end (line 1, column 79))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"}, "task": {"type": "worker", "index": 0}})",
     R"(a list must end with ]; got } (line 1, column 37))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1" "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(a list must have a comma between two entries; got "b:2"]}, "task": {"type"... (line 1, column 31))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]} "task": {"type": "worker", "index": 0}})",
     R"(an object must have a comma between two entries; got "task": {"type": "worker... (line 1, column 40))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}, "rpc_layer": None})",
     R"(JSON writes null; got None (line 1, column 94))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({“cluster”: {“worker”: [“a:1”, “b:2”]}, “task”: {“type”: “worker”, “index”: 0}})",
     R"(a text must stand in double quotes; got “cluster” (line 1, column 2, and 7 more))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}} })",
     R"(nothing may follow the value; got } (line 1, column 81))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type" = "worker", "index": 0}})",
     R"(a name and its value must be divided by a colon; got = "worker", "index": 0}} (line 1, column 57))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}} // worker 0)",
     R"(JSON has no comments; got // worker 0 (line 1, column 81))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"(["a:1", "b:2"])",
     R"(the value must be an object; got ["a:1", "b:2"] (line 1, column 1); give "cluster" and "task")",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2]}, "task": {"type": "worker", "index": 0}})",
     R"(a text must end with a double quote; got "b:2" (line 1, column 32))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 2}})",
     R"(an index must be below the number of its job's tasks; got 2 of 2 in worker (task.index, line 1, column 77); count from 0 to 1)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"chief": ["c:1"], "worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 2}})",
     R"(an index must be below the number of its job's tasks; got 2 of 2 in worker (task.index, line 1, column 95); the chief is counted apart, so the workers are 0 to 1)",
     R"({"cluster": {"chief": ["c:1"], "worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "one"}})",
     R"(an index must be a whole number from 0 on; got "one" (task.index, line 1, column 77); write 0)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "worker-1"}})",
     R"(an index must be a whole number from 0 on; got "worker-1" (task.index, line 1, column 77); write 1)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": -1}})",
     R"(an index must be a whole number from 0 on; got -1 (task.index, line 1, column 77); write 0)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0.5}})",
     R"(an index must be a whole number from 0 on; got 0.5 (task.index, line 1, column 77); write 0)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker"}})",
     R"(the task must have an "index"; got none (task, line 1, column 49); add "index": 0 to 1)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"index": 1}})",
     R"(the task must have a "type"; got none (task, line 1, column 49); add "type": "worker")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}})",
     R"(the value must say which task this is; got no "task" (task, line 1, column 1); add "task": {"type": ..., "index": ...})",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "master", "index": 0}})",
     R"(a type must be chief, worker, ps or evaluator; got "master" (task.type, line 1, column 58); start it as worker 0, which leads where there is no chief)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "chief", "index": 0}})",
     R"(the type must be a job of the cluster; got "chief" (jobs: worker) (task.type, line 1, column 58); start it as worker 0, which leads where there is no chief)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "trainer", "index": 0}})",
     R"(a type must be chief, worker, ps or evaluator; got "trainer" (task.type, line 1, column 58); name a job of the cluster)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "workers", "index": 1}})",
     R"(a type must be chief, worker, ps or evaluator; got "workers" (task.type, line 1, column 58); write "worker")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"workers": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(a job must be chief, worker, ps or evaluator; got "workers" (cluster.workers, line 1, column 14); call it "worker")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"ps_hosts": ["p:1"], "worker_hosts": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(a job must be chief, worker, ps or evaluator; got "ps_hosts" (cluster.ps_hosts, line 1, column 14); call it "ps"
[TF_CONFIG] a job must be chief, worker, ps or evaluator; got "worker_hosts" (cluster.worker_hosts, line 1, column 35); call it "worker")",
     R"({"cluster": {"ps": ["p:1"], "worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"clusters": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(the name must be "cluster"; got "clusters" (clusters, line 1, column 2); call it "cluster")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "task_id": 1}})",
     R"(the name must be "index"; got "task_id" (task.task_id, line 1, column 68); call it "index")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": "worker:1"})",
     R"(the value must be {"type": ..., "index": ...}; got "worker:1" (task, line 1, column 49); give type and index)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a", "b"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must have a port; got "a" (cluster.worker[0], line 1, column 25); write host:port
[TF_CONFIG] an address must have a port; got "b" (cluster.worker[1], line 1, column 30); write host:port)",
     R"({"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:2222", "a:2222"]}, "task": {"type": "worker", "index": 0}})",
     R"(every task must have an address of its own; got "a:2222" (cluster.worker[1], line 1, column 35); cluster.worker[0] has it already)",
     R"({"cluster": {"worker": ["a:2222", "a:2223"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["http://a:1", "grpc://b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must be host:port alone; got "http://a:1" (cluster.worker[0], line 1, column 25); leave out the protocol
[TF_CONFIG] an address must be host:port alone; got "grpc://b:2" (cluster.worker[1], line 1, column 39); leave out the protocol)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["fe80::1:2222", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an IPv6 address must stand in brackets; got "fe80::1:2222" (cluster.worker[0], line 1, column 25); write [address]:port)",
     R"({"cluster": {"worker": ["[fe80::1]:2222", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["[fe80::1]", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must have a port; got "[fe80::1]" (cluster.worker[0], line 1, column 25); write [address]:port)",
     R"({"cluster": {"worker": ["[fe80::1]:2222", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:70000", "b:0"]}, "task": {"type": "worker", "index": 0}})",
     R"(a port must be from 1 to 65535; got "a:70000" (cluster.worker[0], line 1, column 25); write host:port
[TF_CONFIG] a port must be from 1 to 65535; got "b:0" (cluster.worker[1], line 1, column 36); write host:port)",
     R"({"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:port", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(a port must be a number; got "a:port" (cluster.worker[0], line 1, column 25); write host:port)",
     R"({"cluster": {"worker": ["a:2222", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1, b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an entry must hold one address; got "a:1, b:2" (cluster.worker[0], line 1, column 25); make a text of each)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": "a:1,b:2"}, "task": {"type": "worker", "index": 1}})",
     R"(the tasks must be a list or an object by index; got "a:1,b:2" (cluster.worker, line 1, column 24); make a list with a text for each address)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": [" a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must not contain spaces; got " a:1" (cluster.worker[0], line 1, column 25); leave them out)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must be host:port; got "" (cluster.worker[0], line 1, column 25); fill it in)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["$(HOST):2222", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must be host:port, with variables filled in; got "$(HOST):2222" (cluster.worker[0], line 1, column 25); put the host's name in the place of the variable)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": [["a:1", "b:2"]]}, "task": {"type": "worker", "index": 1}})",
     R"(the tasks must be one list of addresses; got a list in a list (cluster.worker[0], line 1, column 25); leave out the inner brackets)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": [{"host": "a", "port": 1}, "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must be a text; got an object (cluster.worker[0], line 1, column 25); write "host:port")",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": [2222, "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must be a text; got 2222 (cluster.worker[0], line 1, column 25); write "host:port")",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"chief": ["a:1", "b:2"]}, "task": {"type": "chief", "index": 0}})",
     R"(there must be at most one chief; got 2 (cluster.chief, line 1, column 23); make the others workers)",
     R"({"cluster": {"chief": ["a:1"], "worker": ["b:2"]}, "task": {"type": "chief", "index": 0}})"},
    {R"({"cluster": {"worker": {"1": "b:1", "4": "c:1"}}, "task": {"type": "worker", "index": 0}})",
     R"(the cluster must list this task; got worker 0 (listed: 1, 4) (task.index, line 1, column 87); add its address, or take an index that is listed)",
     R"({"cluster": {"worker": {"0": "HOST-OF-worker-0:2222", "1": "b:1", "4": "c:1"}}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": {"worker-0": "b:1", "worker-1": "c:1"}}, "task": {"type": "worker", "index": 0}})",
     R"(an index must be a number from 0 on; got "worker-0" (cluster.worker.worker-0, line 1, column 25); write "0", "1", ...
[TF_CONFIG] an index must be a number from 0 on; got "worker-1" (cluster.worker.worker-1, line 1, column 44); write "0", "1", ...)",
     R"({"cluster": {"worker": ["b:1", "c:1"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": ["a:1", "b:2"], "task": {"type": "worker", "index": 1}})",
     R"(the value must be an object from jobs to tasks; got a list (cluster, line 1, column 13); name the job, as in {"worker": [...]})",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": "{\"worker\": [\"a:1\", \"b:2\"]}", "task": {"type": "worker", "index": 1}})",
     R"(the value must be an object; got a text that holds one (cluster, line 1, column 13); leave out the quotes around it)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["0.0.0.0:1", "b:2"]}, "task": {"type": "worker", "index": 1}})",
     R"(an address must be one that the others can reach; got "0.0.0.0:1" (cluster.worker[0], line 1, column 25); write the host's name)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"], "worker": ["c:1"]}, "task": {"type": "worker", "index": 0}})",
     R"(a name must occur once in an object; got "worker" (line 1, column 40))",
     R"({"cluster": {"worker": ["a:1", "b:2", "c:1"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"], "gpu": ["c:1"]}, "task": {"type": "worker", "index": 0}})",
     R"(a job must be chief, worker, ps or evaluator; got "gpu" (cluster.gpu, line 1, column 40); leave it out)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a b:1", "b_2:x2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must not contain spaces; got "a b:1" (cluster.worker[0], line 1, column 25); leave them out
[TF_CONFIG] a port must be a number; got "b_2:x2" (cluster.worker[1], line 1, column 34); write host:port)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "b_2:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}, "rpc_layer": 5})",
     R"(the value must be a text; got 5 (rpc_layer, line 1, column 94); write it in quotes)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {"cluster:\n  worker:\n    - a:1\n    - b:2\ntask:\n  type: worker\n  index: 0\n",
     R"(the value must be JSON, which begins with {; got cluster: (line 1, column 1); write it as JSON)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"(/etc/tf_config.json)",
     R"(the value must be the object itself, no file's name; got /etc/tf_config.json (line 1, column 1); write $(cat FILE) in double quotes)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({\"cluster\": {\"worker\": [\"a:1\"]}, \"task\": {\"type\": \"worker\", \"index\": 0}})",
     R"(the quotes must not be escaped; got \"cluster\": {\"worker\": [\"a:1\"]}, \"... (line 1, column 2); leave out the backslashes)",
     R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})"},
    {R"(TF_CONFIG={"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(the value must be the object alone; got TF_CONFIG= (line 1, column 1); leave out the name)",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": []}, "task": {"type": "worker", "index": 0}})",
     R"(a job must have tasks; got [] (cluster.worker, line 1, column 24); list their addresses)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:2222:2223", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(a port must be a number; got "a:2222:2223" (cluster.worker[0], line 1, column 25); write host:port)",
     R"({"cluster": {"worker": ["a:2222", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["user@a:22", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must be host:port alone; got "user@a:22" (cluster.worker[0], line 1, column 25); leave out the user)",
     R"({"cluster": {"worker": ["a:22", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": {"0": "a:1", "00": "b:1"}}, "task": {"type": "worker", "index": 0}})",
     R"(each index must be there once; got "00" (cluster.worker.00, line 1, column 37); number the tasks from 0 on)",
     R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"jobs": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})",
     R"(the name must be "cluster"; got "jobs" (jobs, line 1, column 2); call it "cluster")",
     R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})"},
    {"{\xC2\xA0"
     "\"cluster\": {\"worker\": [\"a:1\", \"b:2\"]}, \"task\": {\"type\": \"worker\", \"index\": "
     "0}}",
     "spaces must be plain ones; got \xC2\xA0"
     "\"cluster\": {\"worker\": [\"a:1\", \"b:2\"]},... (line 1, column 2); type them anew",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": null, "task": {"type": "worker", "index": 0}})",
     R"(the value must be an object from jobs to tasks; got null (cluster, line 1, column 13); give {"worker": [...]})",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"], "evaluator": ["e:1"]}, "task": {"type": "evaluator", "index": 1}})",
     R"(an index must be below the number of its job's tasks; got 1 of 1 in evaluator (task.index, line 1, column 102); count from 0 to 0)",
     R"({"cluster": {"evaluator": ["e:1"], "worker": ["a:1", "b:2"]}, "task": {"type": "evaluator", "index": 0}})"},
    {R"({"cluster": {"worker": ["10.0.0.256:1", "10.0.0:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address of numbers must have four from 0 to 255; got "10.0.0.256:1" (cluster.worker[0], line 1, column 25); write host:port
[TF_CONFIG] an address of numbers must have four from 0 to 255; got "10.0.0:2" (cluster.worker[1], line 1, column 41); write host:port)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["{{host}}:2222", "%HOST%:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an address must be host:port, with variables filled in; got "{{host}}:2222" (cluster.worker[0], line 1, column 25); put the host's name in the place of the variable
[TF_CONFIG] an address must be host:port, with variables filled in; got "%HOST%:2" (cluster.worker[1], line 1, column 42); put the host's name in the place of the variable)",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"chief": ["a:1"], "worker": ["a:1", "a:2"]}, "task": {"type": "chief", "index": 0}})",
     R"(every task must have an address of its own; got "a:1" (cluster.worker[0], line 1, column 43); cluster.chief[0] has it already)",
     R"({"cluster": {"chief": ["a:1"], "worker": ["a:3", "a:2"]}, "task": {"type": "chief", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:x", "a:2222"]}, "task": {"type": "worker", "index": 0}})",
     R"(a port must be a number; got "a:x" (cluster.worker[0], line 1, column 25); write host:port)",
     R"({"cluster": {"worker": ["a:2223", "a:2222"]}, "task": {"type": "worker", "index": 0}})"},
    {R"("cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})",
     R"(an object must begin with {; got "cluster": {"worker": ["... (line 1, column 1))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ("a:1", "b:2",)}, "task": {"type": "worker", "index": 0}})",
     R"(a list must stand in [ and ]; got ("a:1", "b:2",)}, "task"... (line 1, column 24)
[TF_CONFIG] a list must not end with a comma; got ,) (line 1, column 37))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}})"},
    {R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 01}})",
     R"(a number must begin with its first digit, without + and 0; got 01 (line 1, column 77))",
     R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"},
    {R"(nope)", R"(a text must stand in double quotes; got nope (line 1, column 1))",
     R"({"cluster": {"worker": ["HOST-OF-worker-0:2222", "HOST-OF-worker-1:2222"]}, "task": {"type": "worker", "index": 0}})"},
};

TEST(TfConfig, SaysOfEachMistakeWhereItIsAndWhatToPaste) {
  EXPECT_GE(std::size(kWrong), 50u);
  for (const WrongCase& wrong : kWrong) {
    const Resolution resolution = Resolve(wrong.value);
    EXPECT_FALSE(resolution.description) << wrong.value;
    EXPECT_EQ(DescribeMistakes(resolution.mistakes, ""),
              "[TF_CONFIG] " + std::string(wrong.messages))
        << wrong.value;
    EXPECT_EQ(resolution.corrected, ExportLine("TF_CONFIG", wrong.corrected)) << wrong.value;
    Right(wrong.corrected);
  }
}

TEST(TfConfig, NamesTheLineOfAnIndentedValue) {
  const Resolution resolution = Resolve("{\n  \"cluster\": {\n    \"worker\": [\"a:1\",]\n  }\n}");
  ASSERT_EQ(resolution.mistakes.size(), 1u);
  EXPECT_EQ(resolution.mistakes[0].place, "line 3, column 21");
}

TEST(TfConfig, SurvivesNothingSignsAndDepth) {
  for (const std::string value :
       {"{",     "}",   "[",       "]",  "\"",  "'",  ",", ":", "\\",
        "\"\\u", "{,",  "{:",      "{{", "[[]", "/*", "#", "-", "\xEF\xBB\xBF",
        "'{",    "\"{", "{\"a\":", "\0"}) {
    EXPECT_FALSE(Resolve(value).mistakes.empty()) << value;
  }
  const Resolution deep = Resolve(std::string(100'000, '['));
  EXPECT_EQ(deep.mistakes[0].ToString(),
            "[TF_CONFIG] lists and objects must not be nested deeper than 32 times; got "
            "[[[[[[[[[[[[[[[[[[[[[[[[... (line 1, column 33)");
}

TEST(TfConfig, ReadsListsAndDictionaries) {
  const Description dense = Right(
      R"({"cluster": {"chief": ["c:1"], "worker": ["a:1", "b:2"], "ps": ["p:3"]},
          "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc", "environment": "cloud"})");
  EXPECT_EQ(dense.task, (TaskName{"worker", 1}));
  EXPECT_EQ(dense.rank(), 2);
  EXPECT_EQ(dense.num_ranks(), 3);
  EXPECT_EQ(dense.Leader(), (TaskName{"chief", 0}));
  EXPECT_FALSE(dense.IsChief());
  EXPECT_EQ(dense.RankOf({"ps", 0}), -1);
  EXPECT_EQ(dense.rpc_layer, "grpc");
  EXPECT_EQ(dense.environment, "cloud");
  EXPECT_EQ(dense.AddressOf({"worker", 1}), "b:2");
  EXPECT_EQ(dense.Tasks().size(), 4u);
  EXPECT_EQ(
      dense.ToTfConfig(),
      R"({"cluster": {"chief": ["c:1"], "ps": ["p:3"], "worker": ["a:1", "b:2"]}, )"
      R"("task": {"type": "worker", "index": 1}, "rpc_layer": "grpc", "environment": "cloud"})");

  for (const char* name : {"cluster", "sparseCluster", "sparse_cluster"}) {
    const Description sparse = Right(
        std::string("{\"") + name +
        R"(": {"worker": {"4": "b:2", "1": "a:1"}, "ps": ["p:1"]}, "task": {"type": "worker", "index": 4}})");
    EXPECT_EQ(sparse.cluster.task_indices("worker"), (std::vector<int>{1, 4}));
    EXPECT_EQ(sparse.rank(), 1);
    EXPECT_EQ(sparse.Leader(), (TaskName{"worker", 1}));
    EXPECT_EQ(sparse.cluster.ToJson(), R"({"ps": ["p:1"], "worker": {"1": "a:1", "4": "b:2"}})");
  }
}

TEST(TfConfig, TakesWhatTensorFlowTakes) {
  EXPECT_TRUE(Right("{}").cluster.empty());
  EXPECT_EQ(Right("{}").num_ranks(), 1);
  EXPECT_EQ(Right(R"({"cluster": {}, "extra": [1, {"x": null}]})").rank(), 0);
  EXPECT_EQ(Right(R"({"cluster": {"worker": ["a:1"]}})").task, TaskName{});
  // The evaluator need not be in the cluster.
  const Description evaluator =
      Right(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})");
  EXPECT_EQ(evaluator.rank(), -1);
  const Description ipv6 = Right(R"({"cluster": {"worker": ["[fe80::1%eth0]:1"]}})");
  EXPECT_EQ(ipv6.AddressOf({"worker", 0}), "[fe80::1%eth0]:1");
}

TEST(TfConfig, DoubtsWhatIsLegalButProbablyNotMeant) {
  const Resolution mixed = Resolve(
      R"({"cluster": {"worker": ["localhost:1", "b:2"]}, "task": {"type": "worker", "index": 0}})");
  ASSERT_EQ(mixed.doubts.size(), 1u);
  EXPECT_EQ(
      mixed.doubts[0].ToString(),
      "[TF_CONFIG] an address must mean the same on every host; got localhost beside b (cluster); "
      "write the host's name");
  const Resolution evaluator = Resolve(
      R"({"cluster": {"worker": ["a:1"], "ps": ["b:2"], "evaluator": ["c:1"]},
          "task": {"type": "ps", "index": 0}})");
  ASSERT_EQ(evaluator.doubts.size(), 1u);
  EXPECT_EQ(evaluator.doubts[0].got, "evaluator and ps");
  const Resolution alone = Resolve(
      R"({"sparseCluster": {"worker": {"1": "a:1"}}, "task": {"type": "worker", "index": 1}})");
  ASSERT_EQ(alone.doubts.size(), 1u);
  EXPECT_EQ(alone.doubts[0].ToString(),
            "[TF_CONFIG] it should list all workers; got worker 1 alone (sparseCluster.worker); it "
            R"(trains by itself; list the others, as in {"worker": {"0": ..., "1": ...}})");
}

TEST(TfConfig, CountsTheTasksOfItsHost) {
  const Description second = Right(
      R"({"cluster": {"worker": ["a:1", "b:2", "a:3"]}, "task": {"type": "worker", "index": 2}})");
  EXPECT_EQ(second.local_size, 2);
  EXPECT_EQ(second.local_index, 1);
}

// Whatever is typed: no crash, either a description or mistakes with a form that has none, and JSON
// is taken exactly where nlohmann's parser takes it.
TEST(TfConfig, SurvivesMutations) {
  constexpr std::string_view kSigns = "{}[]\":,'\\ \n0123456789-.eabu/$";
  base::SeededRandomness randomness(7);
  int right = 0, wrong = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string value = kWrong[randomness.Below(std::size(kWrong))].corrected;
    if (randomness.Chance(0.3)) value = kWrong[randomness.Below(std::size(kWrong))].value;
    for (uint64_t edits = randomness.Below(4); edits > 0; --edits) {
      const size_t place = randomness.Below(value.size() + 1);
      const char sign = kSigns[randomness.Below(kSigns.size())];
      if (place == value.size() || randomness.Chance(0.4)) {
        value.insert(place, 1, sign);
      } else if (randomness.Chance(0.5)) {
        value.erase(place, 1 + randomness.Below(8));
      } else {
        value[place] = sign;
      }
    }
    const Resolution resolution = Resolve(value);
    if (resolution.description) {
      ++right;
      EXPECT_TRUE(nlohmann::json::accept(value)) << value;
      Right(resolution.description->ToTfConfig());
      continue;
    }
    ++wrong;
    ASSERT_FALSE(resolution.mistakes.empty()) << value;
    ASSERT_GT(resolution.corrected.size(), 19u) << value;
    const std::string corrected = resolution.corrected.substr(18, resolution.corrected.size() - 19);
    if (corrected.find('\'') == std::string::npos) Right(corrected);
  }
  EXPECT_GT(right, 100);
  EXPECT_GT(wrong, 1000);
}

}  // namespace
}  // namespace lockstep::cluster
