"""A file for each epoch and subtask: written aside, and renamed by the commit. Exactly once."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from datastream.io import Committer, Sink, SinkWriter


@dataclass(frozen=True)
class FolderSink(Sink):
    folder: str

    def create_writer(self, context):
        return FolderWriter(self.folder, context.subtask)

    def create_committer(self, context):
        return FolderCommitter()


@dataclass
class FolderWriter(SinkWriter):
    folder: str
    subtask: int

    def begin(self, epoch, attempt):
        self.target = f"{self.folder}/{epoch}-{self.subtask}.json"
        self.lines = []

    def write(self, batch):
        self.lines += map(json.dumps, batch.records)

    def prepare_commit(self):
        Path(f"{self.target}.new").write_text("\n".join(self.lines))
        return self.target


class FolderCommitter(Committer):
    def commit(self, epoch, committables, final):
        for target in committables:
            if not os.path.exists(target):
                os.replace(f"{target}.new", target)
