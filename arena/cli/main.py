"""The command `arena`: a lazy group of commands, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from arena.cli.lazy import LazyGroup
from arena.errors import ArenaError, Exit
from arena.version import __version__

SECTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Play",
        (
            ("run", "Run a tournament, or go on with one."),
            ("match", "Play one bot against another."),
            ("sprt", "Test whether NEW is better than OLD, with as few games as that takes."),
        ),
    ),
    ("Bots", (("bot", "Make, check, register and try bots."),)),
    (
        "Results",
        (
            ("standings", "Print the table of a tournament."),
            ("replay", "List, show and verify games that were played."),
            ("rate", "Rate results from elsewhere."),
            ("merge", "Join the results of two tournaments."),
            ("close", "Reveal a tournament's seed and end it."),
            ("db", "Check a tournament's database against its logs."),
        ),
    ),
    (
        "Clusters",
        (
            ("worker", "Let this machine play for a tournament elsewhere."),
            ("tls", "Make the certificates of a cluster."),
        ),
    ),
    (
        "Help",
        (
            ("rules", "List the games and their rule options."),
            ("doctor", "Say what this machine can do, and what is missing."),
            ("completion", "Print the completion script of a shell."),
        ),
    ),
)
"""Every command with its first line of help, so that `arena --help` imports none of them."""

EXIT_CODES = """\b
Exit codes:
  0    all is well
  1    the command ran and found something wrong
  2    the command line is wrong: an unknown command, option or value
  3    a bot, file or folder cannot be used
  4    this machine refuses (disk full, not writable, isolation not to be had, a package missing)
  5    a bug of the arena's own; a report is written
  130  interrupted"""

_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE)


class ArenaGroup(LazyGroup):
    """The whole command line: turns every error into a line and a code."""

    def invoke(self, ctx: click.Context) -> Any:
        from arena.cli.installed import check_installation

        if not {"-h", "--help"}.intersection(ctx.args):
            check_installation()
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (BrokenPipeError, SystemExit) as error:
            # Whoever read our output has gone (`arena standings | head`): nothing is wrong. rich makes a
            # SystemExit of it.
            if not isinstance(error if isinstance(error, OSError) else error.__context__, BrokenPipeError):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            ctx.exit(Exit.OK)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with one of the documented codes, never with a traceback."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A bot's name may hold what this terminal's encoding does not.
                stream.reconfigure(errors="backslashreplace")
        try:
            code = super().main(
                args=args,
                prog_name="arena",
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except BaseException as error:
            code = _report(error)
        sys.exit(code if isinstance(code, int) else Exit.OK)


def _report(error: BaseException) -> int:
    """Tell the user of `error` in a line or two; returns the exit code."""
    leaves = list(_leaves(error))
    shown = next((leaf for leaf in leaves if isinstance(leaf, ArenaError)), None)
    if any(isinstance(leaf, KeyboardInterrupt | click.Abort) for leaf in leaves):
        _say("interrupted")
        return Exit.INTERRUPTED
    if shown is not None:
        from arena.replay.escape import plain, plain_lines

        _say(f"arena: {plain(shown.message, 2000)}")
        for line in plain_lines(getattr(shown, "output", "")):  # of a build that failed
            _say(f"  | {line}")
        if shown.hint:
            _say(f"  hint: {plain(shown.hint, 2000)}")
        return shown.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else Exit.FAILED
    if isinstance(error, click.NoSuchOption):
        from arena.cli.suggest import no_such_option

        error = no_such_option(error)
    if isinstance(error, click.ClickException):
        error.show()
        return Exit.USAGE
    for leaf in leaves:
        if isinstance(leaf, OSError) and leaf.errno in _REFUSED:
            where = f": {leaf.filename}" if leaf.filename else ""
            _say(f"arena: {leaf.strerror}{where}")
            return Exit.ENVIRONMENT
    return _internal(error)


def _internal(error: BaseException) -> int:
    """Our own bug: the traceback goes to a file."""
    import platform
    import tempfile
    import traceback

    text = (
        f"arena {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"command line: {sys.argv!r}\n\n{''.join(traceback.format_exception(error))}"
    )
    kind = type(error).__name__
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="arena-report-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(text.encode("utf-8", "backslashreplace").decode())
        _say(f"arena: internal error ({kind}); a report is in {file.name}")
        _say("  hint: please send that file to the authors; finished games are safe")
    except OSError as refused:
        _say(f"arena: internal error ({kind}), and no report could be written: {refused.strerror}")
    return Exit.INTERNAL


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors inside of exception groups (trio's nurseries raise them), or the error itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _say(text: str) -> None:
    with suppress(OSError):
        click.echo(text, err=True)


@click.group(
    cls=ArenaGroup,
    sections=SECTIONS,
    module="arena.cli.{name}",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(__version__, "-V", "--version", message="arena %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Competitions between programs that play the euchre family.

    A bot is any program that answers requests on its stdin and stdout; a folder with a bot.toml is a
    submission. The arena deals the cards, keeps the rules and the clock, and rates the bots.

    \b
    Examples:
      arena run                         the sample bots, a round robin
      arena bot new ./mybot --lang c    a bot of your own, in any language
      arena run ./mybot careful         your bot against one of the samples
      arena standings                   the table again
      arena replay show arena-out       look at a game
      arena COMMAND --help              what a command does, with examples
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> NoReturn:
    """The console script."""
    cli.main()
    raise AssertionError("unreachable")


if __name__ == "__main__":
    main()
