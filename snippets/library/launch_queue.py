# /// snippet
# title.zh = "异步的队列：时间和错误都落在等的那一行"
# title.en = "An asynchronous queue: time and errors fall where you wait"
# topics = ["T06", "T49"]
# devices = ["cpu"]
# timeout = 60
# ///
import time
from concurrent.futures import ThreadPoolExecutor

import torch


class Stream:
    """What a CUDA stream does, with a thread for the card: work is queued, and done in order."""

    def __init__(self, *, blocking=False):
        self.blocking, self.card, self.queued = blocking, ThreadPoolExecutor(1), []

    def launch(self, kernel, *args):
        self.queued.append(self.card.submit(kernel, *args))
        if self.blocking:  # CUDA_LAUNCH_BLOCKING=1
            self.synchronize()

    def synchronize(self):
        while self.queued:
            self.queued.pop(0).result()  # raises here what went wrong there


def slow():
    time.sleep(0.3)


def pick(labels):
    torch.zeros(3)[labels]


def train(stream):
    """Three launches, the second with a label that is out of range; return the step that reports it."""
    step = "launch 1"
    try:
        stream.launch(slow)
        step = "launch 2, with the wrong label"
        stream.launch(pick, torch.tensor([3]))
        step = "launch 3"
        stream.launch(slow)
        step = "synchronize"
        stream.synchronize()
    except IndexError as error:
        return f"{error}, reported by {step}"


for blocking in [False, True]:
    print(f"blocking {blocking}: {train(Stream(blocking=blocking))}")

stream = Stream()
start = time.perf_counter()
stream.launch(slow)
launched = time.perf_counter() - start
stream.synchronize()
done = time.perf_counter() - start
assert launched < done
assert done >= 0.3
print(f"clock stopped after the launch {launched:.1f} s, after waiting {done:.1f} s")
