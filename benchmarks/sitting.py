"""What benchmarks against the peers share: where all is, runs of both sides, ratios of rounds."""
import json, os, pathlib, statistics, subprocess, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = pathlib.Path(os.environ.get('PEERS', pathlib.Path.home() / '.cache/lockstep-peers'))
PROGRAMS = pathlib.Path(os.environ.get('PEER_PROGRAMS', ROOT.parent / 'shared/peers'))
LOCKSTEP = os.environ.get('LOCKSTEP', str(ROOT / 'build/release/lockstep'))
MNIST = os.environ.get('MNIST', str(ROOT.parent / 'shared/data/mnist-10k'))
ENVIRONMENT = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', LOCKSTEP_LOG='error')

PYTHON = {'tensorflow': PEERS / 'tensorflow/bin/python', 'jax': PEERS / 'jax/bin/python', 'torch': PEERS / 'torch-python'}


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=ENVIRONMENT, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(map(str, command))} failed with {done.returncode}\n{done.stderr[-2000:]}')
    return done.stdout


def report_of(command):
    """The JSON object that a run of Lockstep prints last; mean_us is the mean time of a step after the first."""
    result = json.loads(run(command).strip().split('\n')[-1])
    result['mean_us'] = result['mean_us_per_step']
    return result


def ours(*flags):
    """One run of Lockstep in one process."""
    return report_of([LOCKSTEP, 'train', '--json', *flags])


def peer(name, program, *arguments):
    """One run of a peer's program: {work: microseconds a step}."""
    lines = run([PYTHON[name], program if os.path.isabs(str(program)) else PROGRAMS / program, *arguments]).strip().split('\n')
    return {(r['peer'], r['work']): r['us_per_step'] for r in map(json.loads, lines) if 'us_per_step' in r}


def report(title, ratios, note=''):
    low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
    print(f'{title:52s} {middle:6.2f}   ({low:.2f} .. {high:.2f}, {len(ratios)} rounds)  {note}', flush=True)
    return {'median': middle, 'least': low, 'greatest': high}


class Comparison:
    """Collects one ratio a round for each work of each peer."""

    def __init__(self, rounds):
        self.rounds, self.results = rounds, {}

    def compare(self, title, our_flags, peers, wanted):
        ratios, our_times, peer_times = {}, [], {}
        for _ in range(self.rounds):
            for name, program, *arguments in peers:
                before = ours(*our_flags)['mean_us']
                measured = peer(name, program, *arguments)
                after = ours(*our_flags)['mean_us']
                our_times += [before, after]
                for work, time_us in measured.items():
                    if work[1] in wanted:
                        ratios.setdefault(work, []).append(time_us * 2 / (before + after))
                        peer_times.setdefault(work, []).append(time_us)
        print(f'{title}: Lockstep {statistics.median(our_times):.1f} us a step ({min(our_times):.1f} .. {max(our_times):.1f})')
        for work, values in ratios.items():
            name = f'  against {work[0]}, {work[1]}'
            self.results[f'{title}{name}'] = report(name, values, f'peer {statistics.median(peer_times[work]):.1f} us')

    def against_ourselves(self, title, flags, other_flags):
        """The time with `flags` over the time with `other_flags`; less is better."""
        ratios = []
        for _ in range(max(3, self.rounds)):
            ratios.append(ours(*flags)['mean_us'] / ours(*other_flags)['mean_us'])
        self.results[title] = report(title, ratios, 'times; less is better')


def begin(works, asked, needed):
    """Checks the names of works and that all files are there, and says which machine this is."""
    missing = [str(path) for path in needed if not path.exists()]
    if missing:
        raise SystemExit('not found: ' + ', '.join(missing) + '; build a release, run PEER_PROGRAMS/install, and set PEERS and '
                         'PEER_PROGRAMS')
    unknown = [work for work in asked if work not in works]
    if unknown:
        raise SystemExit(f'unknown works {unknown}; allowed are {sorted(works)}')
    model = [line.split(':')[1].strip() for line in open('/proc/cpuinfo') if line.startswith('model name')][:1]
    print(f'{os.cpu_count()} cores, {model[0] if model else "unknown processor"}, '
          f'load {os.getloadavg()[0]:.2f}, {time.strftime("%Y-%m-%d")}', flush=True)
