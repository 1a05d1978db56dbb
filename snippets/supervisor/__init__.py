"""Starts, watches and ends runs, in a process of its own that nothing of a run escapes.

It needs the standard library only, and any Python from 3.9 on: here `python snippets/supervisor/__main__.py`, and where
it has to travel, one file that zipapp makes of the folder. Requests come in by its standard input and reports leave by
its standard output, as frames: two lengths of 32 bits, a header in JSON, a payload.

in    {"do": "run", "run", "argv", "env", "cwd", "log", "file", "timeout", "grace", "lease", "spare"}
          the payload is code to be written to `file` first; times in seconds; `spare` names a wrapper that is not asked
          to end but only killed; with a `lease`, silence for that long is taken for the end of the input
      {"do": "stop", "run"}, {"do": "alive"}
out   {"is": "started", "run", "pid"}
      {"is": "output", "run", "stream", "skipped"} and the bytes; `skipped` were left out before them
      {"is": "artifact", "run", "path", "bytes"}
      {"is": "finished", "run", "why", "exit_code", "seconds", "first_output_seconds", "peak_rss", "cut", "ended",
       "head", "error"} and the kept records of what was printed; `why` is exit, stop, timeout, lost or unstarted

Runs of one connection follow one another, so whatever descends from the supervisor belongs to the run of the moment.
The end of its input ends that run and then the supervisor.
"""
