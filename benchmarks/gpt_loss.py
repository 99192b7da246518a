#!/usr/bin/env python3
"""Trains the gpt and the same model in PyTorch on the bytes of a text, and compares the losses after so many steps.

usage: gpt_loss.py FILE [--steps 300] [--batch-size 8] [--seeds 1]          compares; PEERS/torch-python runs PyTorch
       gpt_loss.py FILE --peer --seed S --steps N --batch-size B              PyTorch's side: prints one JSON object

Both sides cut the text into windows of 128 bytes, keep the last tenth for the test, and draw the others in an order
of their own from first values of their own, so seeds differ by chance; the means over the seeds are compared. The
losses are the mean over the epoch in progress, and over the test windows. Exit status 1 when one of ours is more than 2 %
above the peer's.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = pathlib.Path(os.environ.get("PEERS", pathlib.Path.home() / ".cache/lockstep-peers"))
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/release/lockstep"))
TOKENS, WIDTH, HEADS, BLOCKS, VOCABULARY = 128, 256, 4, 4, 256
ALLOWED = 1.02


def windows_of(path):
    """(training windows, test windows) as the program cuts them: each window and the byte after it."""
    data = pathlib.Path(path).read_bytes()
    count = (len(data) - 1) // TOKENS
    windows = [data[i * TOKENS:(i + 1) * TOKENS + 1] for i in range(count)]
    test = max(1, count // 10)
    return windows[:max(1, count - test)], windows[count - test:]


def make_gpt(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            examples, tokens, _ = x.shape
            heads = self.qkv(self.norm_1(x)).view(examples, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(examples, tokens, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.norm_2(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(TOKENS, WIDTH)
            self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

        def forward(self, x):
            return self.head(self.norm(self.blocks(self.token(x) + self.position(torch.arange(x.shape[1])))))

    return Gpt()


def peer(options):
    """PyTorch's side, in the peer's Python."""
    import torch
    torch.manual_seed(options.seed)
    torch.set_num_threads(2)
    trained, tested = (torch.tensor([list(w) for w in windows]) for windows in windows_of(options.file))
    model = make_gpt(torch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def loss_of(windows):
        logits = model(windows[:, :-1])
        return torch.nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), windows[:, 1:].reshape(-1))

    losses, order = [], []
    while len(losses) < options.steps:
        order = order or list(torch.randperm(len(trained)).split(options.batch_size))
        optimizer.zero_grad()
        loss = loss_of(trained[order.pop(0)])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        parts = [(loss_of(part).item(), len(part)) for part in tested.split(options.batch_size)]
    # As the program reports it: the mean over the epoch in progress.
    steps = -(-len(trained) // options.batch_size)
    epoch = losses[(options.steps - 1) // steps * steps:]
    print(json.dumps({"loss": sum(epoch) / len(epoch),
                      "test_loss": sum(loss * count for loss, count in parts) / sum(count for _, count in parts)}))


def result_of(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"gpt_loss: {' '.join(map(str, command))} failed with {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(options):
    trained, tested = windows_of(options.file)
    print(f"{options.file}: {len(trained)} windows for training, {len(tested)} for the test; {options.steps} steps of "
          f"{options.batch_size}, {options.seeds} seeds")
    numbers = {"lockstep": [], "torch": []}
    for seed in range(1, options.seeds + 1):
        common = ["--steps", options.steps, "--batch-size", options.batch_size, "--seed", seed]
        numbers["lockstep"].append(
            result_of([LOCKSTEP, "train", "--json", "--model", "gpt", "--data", options.file, *common]))
        numbers["torch"].append(result_of([PEERS / "torch-python", __file__, options.file, "--peer", *common]))
        for side, results in numbers.items():
            print(f"  seed {seed}, {side}: loss {results[-1]['loss']:.4f}, test loss {results[-1]['test_loss']:.4f}",
                  flush=True)
    good = True
    for key in ("loss", "test_loss"):
        ours, theirs = (sum(r[key] for r in numbers[side]) / options.seeds for side in ("lockstep", "torch"))
        good &= ours <= ALLOWED * theirs
        print(f"{key}: {ours:.4f} against PyTorch's {theirs:.4f}, {100 * (ours / theirs - 1):+.2f} % (at most +2)")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    return peer(options) if options.peer else compare(options)


if __name__ == "__main__":
    sys.exit(main())
