#!/usr/bin/env python3
"""Fails where code that must run in the simulator names a thread, a wait, a socket or a gRPC type.

usage: check_forbidden.py [--root DIR] [--self-test]

The rooms of EVENT_ROOMS are event handlers or coroutines on base::Executor. Outside base no room may
start threads (tests and benchmarks may), and base only by StartThread, which ends the task where an exception leaves a thread. Comments and string literals are ignored. EXEMPT names the
few transports' files that touch the world, each with its reason. Prints `file:line: rule`, exits 1.
"""
import argparse
import pathlib
import re
import sys
import tempfile

EVENT_ROOMS = ("net", "collectives", "cluster", "remote", "distribute")

# path under src/ or include/lockstep/ -> why it may touch the world
EXEMPT = {
    "base/own_thread.cc": "starts all threads of the library, and ends the task where an exception leaves one",
    "net/ports.cc": "reserves ports for tasks before they are there, and looks who has one",
    "net/ports_test.cc": "the same",
    "net/grpc_rpc.cc": "calls by gRPC: its types, and deadlines by its clock",
    "cluster/member_process_test.cc": "starts processes, kills and stops them",
    "remote/session_test.cc": "starts threads of clients, and waits for a server to come back",
    "remote/remote_run_benchmark.cc": "measures with a server in another process",
    "distribute/servers/server_races_test.cc": "starts threads of clients, and another process",
    "net/certificates.cc": "makes keys and certificates by libssl",
    "net/user_token.cc": "draws and derives tokens by libssl",
    "net/http_page.cc": "the sockets of the metrics page",
    "net/openssl_handles.h": "owns what libssl allocates, for the two",
    "net/shared_memory_layout.h": "holds the robust mutex that shows a process's death",
    "net/shared_memory_pulse.cc": "holds that mutex for life",
    "net/socket_packets.h": "the sockets through which processes of a host meet",
    "net/socket_packets.cc": "the sockets through which processes of a host meet",
    "net/tcp_socket.cc": "the sockets of the transport over TCP",
    "net/plain_stream.cc": "reads and writes those sockets",
    "net/tls_stream.cc": "reads and writes them through libssl",
    "net/shared_memory_hub_test.cc": "joins two hubs by a pair of sockets",
    "net/rank_processes_test.cc": "starts, stops and kills processes",
}

SOURCES = {".h", ".hpp", ".cc", ".cpp", ".inc"}
THREADS = [
    (r"\bstd\s*::\s*(thread|jthread|async)\b(?!\s*::\s*(id|hardware_concurrency)\b)", "starts a thread"),
    (r"\bpthread_create\b", "starts a thread"),
]
# In base a thread may be named, but only one function starts one.
STARTS = [(r"\bstd\s*::\s*(thread\s*[({]|thread\s+(?!StartThread\b)\w+\s*[({]|jthread\b|async\b)", "starts a thread without StartThread")]
WORLD = THREADS + [
    (r"\bstd\s*::\s*this_thread\b", "sleeps or yields"),
    (r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sched_yield)\b", "sleeps or yields"),
    (r"(?<![\w.>])(?:::\s*)?sleep\s*\(", "sleeps"),
    (r"\bstd\s*::\s*(condition_variable(_any)?|future|shared_future|promise|latch|barrier|"
     r"counting_semaphore|binary_semaphore)\b", "waits and blocks"),
    (r"(\.|->)\s*(wait|wait_for|wait_until)\s*\(", "waits and blocks"),
    (r"\b(pthread_\w+|futex|sem_wait|sem_timedwait|waitpid|eventfd|timerfd_create|signalfd)\b", "waits and blocks"),
    (r"\b(epoll_\w+|sockaddr(_\w+)?|getaddrinfo|setsockopt|getsockopt|AF_INET6?|AF_UNIX|SOCK_\w+)\b", "is a socket"),
    (r"(?<![\w.>:])(?:::\s*)?(socket|socketpair|accept4?|recv(from|msg)?|send(to|msg)|listen|poll|ppoll|select)\s*\(",
     "is a socket"),
    (r"(?<![\w:])::\s*(connect|bind|send|shutdown)\s*\(", "is a socket"),
    (r"\b(ucp|uct|ucs)_\w+", "is a transport library"),
    (r"\b(grpc|grpc_impl)\s*::|\bgrpc_\w+|\bSSL_\w+", "is a gRPC or TLS type"),
    (r"\bstd\s*::\s*chrono\s*::\s*(steady_clock|system_clock|high_resolution_clock)\s*::\s*now\b",
     "reads the machine's clock"),
    (r"\b(clock_gettime|gettimeofday)\b", "reads the machine's clock"),
    (r"\bstd\s*::\s*random_device\b", "draws unseeded randomness"),
    (r"(?<![\w.>])s?rand\s*\(", "draws unseeded randomness"),
]
INCLUDES = re.compile(
    r"^\s*#\s*include\s*[<\"](thread|future|condition_variable|latch|barrier|semaphore|stop_token|pthread\.h|"
    r"sys/socket\.h|sys/epoll\.h|sys/eventfd\.h|netinet/[^>\"]*|arpa/[^>\"]*|poll\.h|netdb\.h|"
    r"grpc[^>\"]*|ucp/[^>\"]*|openssl/[^>\"]*)[>\"]")
TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def blank(text):
    """Replaces comments and literals by spaces, keeping the lines."""
    return TOKENS.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def check_text(text, rules, includes):
    """Yields (line, what, why) for each broken rule."""
    for number, line in enumerate(text.splitlines(), 1):
        match = includes and INCLUDES.match(line)
        if match:
            yield number, f"<{match.group(1)}>", "belongs to base or a transport's own file"
    for number, line in enumerate(blank(text).splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for pattern, why in rules:
            match = re.search(pattern, line)
            if match:
                yield number, match.group(0).strip(), why


def rules_for(path, room):
    """Returns (rules, whether includes are checked) for a file, None where nothing is forbidden."""
    if room in EVENT_ROOMS:
        return WORLD, True
    if path.stem.endswith(("_test", "_benchmark")):
        return None
    if room == "base":
        return STARTS, False
    return THREADS, False


def check(root, exempt):
    errors, files = [], 0
    for folder in ("src", "include/lockstep"):
        base = root / folder
        for path in sorted(base.rglob("*")):
            if path.suffix not in SOURCES:
                continue
            inside = path.relative_to(base)
            files += 1
            rules = rules_for(path, inside.parts[0])
            if rules is None or str(inside) in exempt:
                continue
            for number, what, why in check_text(path.read_text(errors="replace"), *rules):
                errors.append(f"{path.relative_to(root)}:{number}: `{what}` {why}; "
                              f"room {inside.parts[0]} goes through base::Executor and net::Transport")
    for name in exempt:
        if not any((root / folder / name).exists() for folder in ("src", "include/lockstep")):
            errors.append(f"tools/check_forbidden.py:1: EXEMPT names {name}, which does not exist")
    return errors, files


def self_test():
    """Shows on temporary trees that each rule can fail and that innocent code passes."""
    cases = [  # (path, line, must fail)
        ("src/net/a.cc", "std::thread worker;", True),
        ("src/net/a.h", "std :: jthread worker;", True),
        ("src/collectives/a.cc", "auto x = std::async([] {});", True),
        ("src/collectives/a_test.cc", "std::thread worker;", True),
        ("src/cluster/a.cc", "std::this_thread::sleep_for(1ms);", True),
        ("src/cluster/a.cc", "sleep(1);", True),
        ("src/cluster/a.cc", "usleep(1);", True),
        ("src/remote/a.cc", "ready.wait(lock);", True),
        ("src/remote/a.cc", "std::condition_variable ready;", True),
        ("src/remote/a.cc", "promise.get_future()->wait_for(x);", True),
        ("src/distribute/a.cc", "int fd = socket(AF_INET, x, 0);", True),
        ("src/distribute/a.cc", "::connect(fd, x, y);", True),
        ("src/net/a.cc", "sockaddr_in address;", True),
        ("src/net/a.cc", "grpc::Channel* channel;", True),
        ("src/net/a.cc", "grpc_channel* channel;", True),
        ("src/net/a.cc", "#include <grpcpp/grpcpp.h>", True),
        ("src/net/a.cc", "#include <sys/socket.h>", True),
        ("src/net/a.cc", "#include <thread>", True),
        ("src/net/a.cc", "auto t = std::chrono::steady_clock::now();", True),
        ("src/net/a.cc", "std::random_device device;", True),
        ("include/lockstep/net/a.h", "std::thread worker;", True),
        ("src/nn/a.cc", "std::thread worker;", True),
        ("src/nn/a_test.cc", "std::thread worker;", False),
        ("src/base/a.cc", "std::thread worker; ready.wait(lock);", False),
        ("src/base/a.cc", "std::thread worker([] {});", True),
        ("src/base/a.cc", "thread_ = std::thread([] {});", True),
        ("src/base/a_test.cc", "std::thread worker([] {});", False),
        ("src/net/a.cc", "// a std::thread would sleep_for ever", False),
        ("src/net/a.cc", "/* grpc::Channel */ int x;", False),
        ("src/net/a.cc", 'Fail("[net] socket(AF_INET) must work");', False),
        ("src/net/a.cc", "transport.Send(to, message);", False),
        ("src/net/a.cc", "link.connect(x); Select(y); Wait(z); waiting(q);", False),
        ("src/net/a.cc", "std::thread::id owner; int n = 1'000'000;", False),
        ("src/nn/a.cc", "auto n = std::thread::hardware_concurrency();", False),
    ]
    wrong = 0
    for path, line, must_fail in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(f"#pragma once\n{line}\n")
            errors, _ = check(root, {})
            exempted, _ = check(root, {str(pathlib.Path(path).relative_to(
                "include/lockstep" if path.startswith("include") else "src")): "test"})
        right_place = not must_fail or (errors and errors[0].startswith(f"{path}:2:"))
        if bool(errors) != must_fail or not right_place or exempted:
            wrong += 1
            print(f"self-test: {path} with `{line}` must {'fail' if must_fail else 'pass'}; got {errors} {exempted}")
    with tempfile.TemporaryDirectory() as folder:
        if not check(pathlib.Path(folder), {"net/gone.cc": "test"})[0]:
            wrong += 1
            print("self-test: an exemption of a missing file must fail")
    print(f"check_forbidden self-test: {len(cases) + 1} trees, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    errors, files = check(arguments.root, EXEMPT)
    print("\n".join(errors + [f"check_forbidden: {files} files, {len(EXEMPT)} exempt, {len(errors)} broken"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
