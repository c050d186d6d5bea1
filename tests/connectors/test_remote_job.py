"""The job of the page about files, on Spark, from bucket to bucket; only the bucket and its address are others."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_the_pages_job_copies_lines_of_s3_on_spark(s3, tmp_path):
    page = (ROOT / "docs" / "files.md").read_text()
    code = re.search(r'```python title="copy_s3.py"\n(.*?)```', page, re.S)[1]
    (tmp_path / "copy_s3.py").write_text(code.replace("s3://logs/", f"s3://{s3.name}/"))
    for number in range(3):
        s3.put(f"in/{number}", f"fine\nERROR {number}\n".encode())
    command = [sys.executable, "-m", "datastream.cli", "run", "--checkpoint-dir", "checkpoints/errors", "copy_s3.py"]
    for _ in range(2):  # again, it has nothing to do
        environment = {**os.environ, "AWS_ENDPOINT_URL": s3.endpoint}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
        assert sorted(s3.lines("errors/")) == ["ERROR 0", "ERROR 1", "ERROR 2"]
    assert s3.uploads() == []
