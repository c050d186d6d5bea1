"""Blocks of texts into rows of fields, fast: `str.split` where nothing is quoted, else the csv module."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter

from datastream.errors import FormatError

from .options import COMMENT, LETTERS, CsvOptions
from .parsing import Incomplete, Misplaced, Parser

Fields = list[str]

_LAST = itemgetter(slice(-1, None))


class Splitter:
    """Splits messages, or the text of a file, into the fields of records."""

    def __init__(self, options: CsvOptions, mark: str | None) -> None:
        """Make a splitter; the arguments are those of `Parser`."""
        self._parser = Parser(options, mark)
        self._delimiter, self._comments = options.delimiter, options.comments
        self._special = [c for c in (options.quote, options.escape) if c is not None]
        # What only the parser understands.
        self._hard = [options.escape + letter for letter in LETTERS] if options.escape else []
        if mark is not None and options.quote is not None:
            self._hard.append(options.quote + mark + options.quote)
        reader = csv.reader(
            (),
            delimiter=options.delimiter,
            quotechar=options.quote,
            escapechar=options.escape,
            quoting=csv.QUOTE_MINIMAL if options.quote is not None else csv.QUOTE_NONE,
            strict=True,
        )
        self._dialect = reader.dialect  # ready made: half the price of a reader

    # -- messages -----------------------------------------------------------------------------------

    def messages(self, texts: Sequence[str], joined: str) -> list[Fields]:
        """The fields of messages of one record each, without those that are comments.

        Args:
            texts: The messages.
            joined: All of them together.

        Raises:
            FormatError: one is not a record.
        """
        if self._comments and COMMENT in joined:
            return self._one_by_one(texts)
        for special in self._special:
            if special in joined:
                return self._one_by_one(texts) if self._contains(joined, self._hard) else self._read_all(texts)
        delimiter = self._delimiter
        if "\n" in joined or "\r" in joined:
            if joined.count("\n") == len(texts) and "\r" not in joined and set(map(_LAST, texts)) == {"\n"}:
                return [text[:-1].split(delimiter) for text in texts]
            return self._read_all(texts)
        return [text.split(delimiter) for text in texts]

    def _read_all(self, texts: Sequence[str]) -> list[Fields]:
        try:
            rows = list(csv.reader(texts, self._dialect))
        except csv.Error:
            return self._one_by_one(texts)
        # The reader goes on to the next text where one ends inside a quoted field.
        return rows if len(rows) == len(texts) else self._one_by_one(texts)

    def _one_by_one(self, texts: Iterable[str]) -> list[Fields]:
        return [fields for text in texts if (fields := self._parser.message(text)) is not None]

    @staticmethod
    def _contains(text: str, parts: list[str]) -> bool:
        return any(part in text for part in parts)

    # -- files --------------------------------------------------------------------------------------

    def stream(self, texts: Iterable[str]) -> Iterator[tuple[str, list[Fields] | None]]:
        """The records of a text, in pieces of whole records: each with the fields of its records.

        A blank line is a row without fields. None in place of the rows: the piece holds what is no record.

        Args:
            texts: The text. Each piece but the last ends with LF.
        """
        rest = ""
        waiting: list[str] = []
        size = 0
        for text in texts:
            waiting.append(text)
            size += len(text)
            # A record that goes over many pieces is not parsed again for each of them.
            if size < len(rest) or not text.endswith("\n"):
                continue
            whole = "".join((rest, *waiting))
            waiting, size = [], 0
            rows: list[Fields] | None
            try:
                rows, rest = self._piece(whole)
            except FormatError:
                rows = None
                rest = whole[max((end for _, end, _ in self.located(whole, False)), default=0) :]
            yield whole[: len(whole) - len(rest)], rows
        whole = "".join((rest, *waiting))
        try:
            yield whole, self._last(whole)
        except FormatError:
            yield whole, None

    def located(self, text: str, ended: bool = True) -> Iterator[tuple[int, int, Fields | FormatError]]:
        """Where each record of a text starts and ends, and its fields, or why it is none; comments are left out.

        What is no record ends with the line in which that shows, or with the text.

        Args:
            text: The text; it starts with a record.
            ended: Whether the text's end is a record's; if not, one that goes further is left out.
        """
        parser, at = self._parser, 0
        while (at := parser.skip_comments(text, at)) < len(text):
            found: Fields | FormatError
            try:
                found, end = parser.record(text, at, ended)
            except Incomplete as error:
                if not ended:
                    return
                found, end = FormatError(str(error)), len(text)
            except Misplaced as error:
                found, end = error, parser.next_line(text, error.at)
            yield at, end, found
            at = end

    def _last(self, text: str) -> list[Fields]:
        if not text:
            return []
        rows, rest = self._piece(text if text.endswith("\n") else text + "\n")
        if rest or text[-1:] in self._special:
            # Not with a line end that is not there, which may be the one that is escaped.
            return self._parsed(text, ended=True)[0]
        return rows

    def _piece(self, text: str) -> tuple[list[Fields], str]:
        """The rows of a piece, and what is left of it: the record that it does not end."""
        if self._contains(text, self._hard):
            return self._parsed(text)
        comments = self._comments and COMMENT in text
        if not self._contains(text, self._special):
            return self._plain_lines(text, comments), ""
        return self._parsed(text) if comments else self._read(text)

    def _plain_lines(self, text: str, comments: bool) -> list[Fields]:
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        del lines[-1]  # after the last LF
        if comments:
            lines = [line for line in lines if not line.startswith(COMMENT)]
        delimiter = self._delimiter
        return [line.split(delimiter) if line else [] for line in lines]

    def _read(self, text: str) -> tuple[list[Fields], str]:
        lines = list(io.StringIO(text, newline="" if "\r" in text else "\n"))
        rows: list[Fields] = []
        try:
            rows.extend(csv.reader(lines, self._dialect))
        except csv.Error:
            # The rows before are there already; where the next one starts only a second reading tells.
            reader = csv.reader(lines, self._dialect)
            deque(islice(reader, len(rows)), 0)
            more, rest = self._parsed("".join(lines[reader.line_num :]))
            return rows + more, rest
        return rows, ""

    def _parsed(self, text: str, ended: bool = False) -> tuple[list[Fields], str]:
        rows: list[Fields] = []
        parser, at = self._parser, 0
        while (at := parser.skip_comments(text, at)) < len(text):
            try:
                fields, end = parser.record(text, at, ended)
            except Incomplete as error:
                if ended:
                    raise FormatError(str(error)) from None
                break
            rows.append(fields)
            at = end
        return rows, text[at:]
