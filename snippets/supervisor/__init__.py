"""Starts, watches and ends runs, in a process of its own that no process of a run escapes.

It needs only the standard library and any Python from 3.9 on: `python snippets/supervisor/__main__.py [RUNS]` here,
one file made by zipapp elsewhere. Each run gets a folder in RUNS, on the machine of the supervisor; no other path of a
run goes through the connection. Requests come by standard input and reports leave by standard output, as frames: two
lengths of 32 bits, a header in JSON, a payload.

in    {"do": "run", "run", "python", "args", "program", "name", "modules", "env", "device", "isolate", "visible",
       "asks", "keep", "timeout", "grace", "lease", "spare", "memory", "disk", "processes", "ranks", "silence", "warm"}
          The payload is the code, written to a file `name`, unless `program` is a file on this machine. `modules` are
          sources for the path of the run, by file name; `env` are variables on top of the supervisor's own; `visible`
          are paths that an isolated run can read. Without `keep` the run folder is removed at the end. Times are in
          seconds. `spare` names a wrapper that is not asked to end but only killed. With a `lease`, silence for that
          long counts as the end of the input.
      {"do": "run", "run", "argv", "env", "timeout", "grace"}   a short command with exactly this environment
      {"do": "stop", "run"}, {"do": "input", "run"}, {"do": "alive"}
      {"do": "warm", "key", "python", "env", "once", "startup", "sealed"}   import torch and wait for runs
      {"do": "recover", "run", "keep"}   finish a run whose supervisor was killed
out   {"is": "started", "run", "pid", "warm"}
      {"is": "output", "run", "stream", "skipped"} and the bytes; `skipped` bytes were left out before them
      {"is": "midway", "run", "waits", "secret", "silent"}
      {"is": "artifact", "run", "path", "bytes", "sent"} and, if `sent`, the content; at most 32 MiB each
      {"is": "warm", "key", "error"}
      {"is": "finished", "run", "why", "exit_code", "seconds", "first_output_seconds", "peak_rss", "cut", "ended",
       "head", "error", "program", "files"} and the records of the output; `why` is exit, stop, timeout, memory, disk,
          processes, lost, killed or unstarted; `files` are the paths of the artifacts that are there at the end

Runs of one connection follow one another, so every descendant of the supervisor belongs to the current run. The end of
its input ends that run and then the supervisor.
"""
