"""Asks each URL until it answers 200, or the time is over: ask_health.py SECONDS URL..."""

import sys
import time
import urllib.request

deadline = time.monotonic() + float(sys.argv[1])
failed = False
for url in sys.argv[2:]:
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                print(f"{url}: {answer.status}", flush=True)
                break
        except OSError as error:
            if time.monotonic() > deadline:
                print(f"{url}: {error}", file=sys.stderr, flush=True)
                failed = True
                break
        time.sleep(1)
sys.exit(failed)
