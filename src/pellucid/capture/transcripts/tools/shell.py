"""A shell command line in, its simple commands out, each with its words and its input; nothing is run.

It works like `shlex`, but also reads what agents write: heredocs, `$(cat <<'EOF' … EOF)` inside quotes, comments, and
the operators between commands. A word with an expansion that is not such a heredoc has no known value.
"""

import re
from dataclasses import dataclass

_LONGEST = 256 * 1024
_MAX_HEREDOCS = 64
_PLAIN = re.compile(r"[^\s'\"\\$`<>#;|&()]+")
_JOINT = re.compile(r"\|\||&&|\|&|;;|[|;&\n()]")
_HEREDOC = re.compile(r"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))")
_CAT = re.compile(r"\$\([ \t\n]*cat[ \t]*(?=<<)")
_REDIRECT = re.compile(r"(?:>>?|<<?)&?[ \t]*[^\s;|&()'\"<>]*")
_CLOSE = re.compile(r"\s*\)")
_VARIABLE = re.compile(r"\$[\w{]")
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SIGNS = {"n": "\n", "t": "\t", "r": "\n"}
_FALLS_THROUGH = frozenset({"", "&&", ")"})


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command: its words (None for a word whose value only a shell knows) and its heredoc's text.

    `masked`: the line can succeed although this command failed, for it is in a pipe, or before `||` or `;`.
    """

    words: tuple[str | None, ...]
    heredoc: str | None = None
    masked: bool = False


def parse_commands(line: str) -> list[ShellCommand]:
    """Parse a shell command line into its simple commands, in order; nothing is run.

    A command in which a quote is never closed is left out, and so is all after it. Only the first 262,144 characters
    are read, and of the heredocs only the first 64 are understood.
    """
    return _ShellParser(line[:_LONGEST]).run()


class _ShellParser:
    """Parses one command line in one pass; `_word` is the current word, None between two words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._end = len(text.rstrip())
        self._heredocs = 0
        self._found: list[ShellCommand] = []
        self._words: list[str | None] = []
        self._word: list[str] | None = None
        self._known = True
        self._heredoc: str | None = None

    def run(self) -> list[ShellCommand]:
        """Parse the whole command line, and return its simple commands in order."""
        while self._at < len(self._text):
            match self._text[self._at]:
                case "'":
                    self._read_single_quotes()
                case '"':
                    self._read_double_quotes()
                case "\\":
                    after = self._text[self._at + 1 : self._at + 2]
                    self._add_to_word("" if after == "\n" else after, 2)
                case "$" | "`":
                    self._read_expansion()
                case char if not self._step_over_syntax(char):
                    plain = _PLAIN.match(self._text, self._at)
                    self._add_to_word(plain[0] if plain else char, len(plain[0]) if plain else 1)
                case _:
                    pass
        self._end_command("")
        return self._found

    def _add_to_word(self, text: str, width: int, *, known: bool = True) -> None:
        """Add text, which takes `width` characters of the line, to the current word (or begin one), and step over it.

        `known=False`: only a shell knows the text, so that the whole word becomes None.
        """
        self._word = self._word or []
        self._word.append(text)
        self._known = self._known and known
        self._at += width

    def _end_word(self) -> None:
        """Append the current word, if there is one, to the command; None in its place if its value is not known."""
        if self._word is not None:
            self._words.append("".join(self._word) if self._known else None)
        self._word, self._known = None, True

    def _end_command(self, joint: str) -> None:
        """End the current word and command, and add the command to those found, unless it has no word.

        `joint` is the operator after it, "" at the end of the line. The command is `masked` unless it stands before
        `&&`, `)`, the end, or a `;` or line break with which the whole line ends.
        """
        self._end_word()
        if self._words:
            masked = joint not in _FALLS_THROUGH and not (self._at >= self._end and joint in ";\n")
            self._found.append(ShellCommand(tuple(self._words), self._heredoc, masked))
        self._words, self._heredoc = [], None

    def _step_over_syntax(self, char: str) -> bool:
        """Step over the heredoc, redirection, comment, operator or white space that begins at the current position with
        `char`, ending word or command as it demands. Return False, and do nothing, if none of these begins there.
        """
        if char == "<" and (mark := _HEREDOC.match(self._text, self._at)) and self._heredocs < _MAX_HEREDOCS:
            self._end_word()
            self._at = mark.end()
            self._cut_heredoc(mark)
        elif char in "<>" and (redirect := _REDIRECT.match(self._text, self._at)):
            if self._word is not None and not "".join(self._word).isdigit():
                self._end_word()
            self._word, self._at = None, redirect.end()
        elif char == "#" and self._word is None:
            self._at = _line_end(self._text, self._at)
        elif joint := _JOINT.match(self._text, self._at):
            self._at = joint.end()
            self._end_command(joint[0])
        elif char.isspace():
            self._end_word()
            self._at += 1
        else:
            return False
        return True

    def _cut_heredoc(self, mark: re.Match[str]) -> None:
        """Take a heredoc's body, which begins on the line after the current position (behind `mark`), out of the text,
        and keep it as the heredoc of the current command; it counts towards the limit of heredocs.
        """
        self._heredocs += 1
        end = _line_end(self._text, self._at)
        self._heredoc, after = _heredoc_body(self._text, end + 1, mark)
        self._text = self._text[:end] + self._text[after:]
        self._end = len(self._text.rstrip())

    def _read_single_quotes(self) -> None:
        """Add a single-quoted string to the word; if it is never closed, discard command and rest of the line."""
        end = self._text.find("'", self._at + 1)
        if end < 0:
            self._give_up()
        else:
            self._add_to_word(self._text[self._at + 1 : end], end + 1 - self._at)

    def _read_double_quotes(self) -> None:
        """Add a double-quoted string to the word, as unknown if it has an expansion other than `$(cat <<EOF …)`; if it
        is never closed, discard the command and the rest of the line.
        """
        at, known, parts = self._at + 1, True, list[str]()
        while at < len(self._text) and self._text[at] != '"':
            char, width = self._text[at], 1
            if char == "\\":
                escaped = self._text[at + 1 : at + 2]
                char, width = (escaped if escaped in '$`"\\' else "" if escaped == "\n" else char + escaped), 2
            elif self._text.startswith("$(", at):
                value, after = self._heredoc_substitution(at)
                char, width, known = value or "", after - at, known and value is not None
            elif char == "`" or _VARIABLE.match(self._text, at):
                known = False
            parts.append(char)
            at += width
        if at >= len(self._text):
            self._give_up()
        else:
            self._add_to_word("".join(parts), at + 1 - self._at, known=known)

    def _read_expansion(self) -> None:
        """Add `$'…'` or `$(cat <<EOF …)` to the word as its text, any other `$(…)` as unknown.

        Of any other expansion step over the first character only, which makes the word unknown.
        """
        if quoted := _QUOTED.match(self._text, self._at):
            words = _ESCAPE.sub(lambda found: _SIGNS.get(found[1], found[1]), quoted[1])
            self._add_to_word(words, quoted.end() - self._at)
        elif self._text.startswith("$(", self._at):
            value, after = self._heredoc_substitution(self._at)
            self._add_to_word(value or "", after - self._at, known=value is not None)
        else:
            self._add_to_word(self._text[self._at], 1, known=False)

    def _heredoc_substitution(self, at: int) -> tuple[str | None, int]:
        """Return the text of the substitution `$(…)` that begins at `at`, and the position after it.

        The text is None unless it is `$(cat <<EOF … EOF)`; such a one counts towards the limit of 64 heredocs, beyond
        which its text is None, too. The position is the end of the text if the bracket is never closed.
        """
        cat = _CAT.match(self._text, at) if self._heredocs < _MAX_HEREDOCS else None
        if cat and (mark := _HEREDOC.match(self._text, cat.end())):
            self._heredocs += 1
            body, after = _heredoc_body(self._text, _line_end(self._text, mark.end()) + 1, mark)
            if close := _CLOSE.match(self._text, after):
                return body.rstrip("\n"), close.end()
        depth = 0
        for place in range(at + 1, len(self._text)):
            depth += {"(": 1, ")": -1}.get(self._text[place], 0)
            if depth == 0:
                return None, place + 1
        return None, len(self._text)

    def _give_up(self) -> None:
        """Discard the current command and the rest of the line."""
        self._words, self._word, self._at = [], None, len(self._text)


def _heredoc_body(text: str, at: int, mark: re.Match[str]) -> tuple[str, int]:
    """Return the text of the heredoc whose body begins at `at`, and the position after its closing mark.

    Without a closing mark the text is all the rest, and the position the end. `mark` is the match of its opening; after
    `<<-` the lines lose their leading tabs.
    """
    name = mark[2] or mark[3] or mark[4]
    lines: list[str] = []
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end].lstrip("\t") if mark[1] else text[at:end]
        # agents also close the substitution on the line of the mark
        if line == name or line.startswith((f"{name})", f'{name}"')):
            return "\n".join(lines) + "\n", end - len(line) + len(name)
        lines.append(line)
        at = end + 1
    return "\n".join(lines), len(text)


def _line_end(text: str, at: int) -> int:
    """Return the position of the next line end from `at` on, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end
