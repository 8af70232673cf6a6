"""`arena rules`: the games and their options."""

from __future__ import annotations

import click

from arena.cli.options import game_options, json_option, print_json, rule_errors


@click.command()
@click.argument("game_id", metavar="[GAME]", required=False)
@game_options
@json_option
def command(game_id: str | None, game: str | None, rules: tuple[str, ...], as_json: bool) -> None:
    """List the games and their rule options.

    Without GAME all games are listed; with one, its options: name, value (a `*` marks what `--rule`
    changed), allowed values and meaning. Any place that takes a game takes `--rule` as well.

    \b
    Examples:
      arena rules                                   all games
      arena rules british                           the options of one
      arena rules british --rule target=15          check a choice of options
      arena run --game british --rule target=15     play by it
    """
    from arena.games.registry import game_ids, game_info, get_game, parse_overrides

    chosen = game_id or game
    if chosen is None and not rules:
        infos = [game_info(name) for name in game_ids()]
        if as_json:
            print_json([{"game": info.id, "title": info.title} for info in infos])
            return
        for info in infos:
            click.echo(f"{info.id:<16}{info.title} ({len(info.options)} options)")
        click.echo("\n`arena rules GAME` lists a game's options.")
        return
    info = rule_errors(lambda: game_info(chosen or game_ids()[0]))
    built = rule_errors(lambda: get_game(info.id, parse_overrides(rules)))
    changed = built.non_default_rules()
    if as_json:
        print_json(
            {
                "game": info.id,
                "title": info.title,
                "options": [
                    {
                        "name": option.name,
                        "value": built.rules[option.name],
                        "default": option.default,
                        "values": list(option.values) if option.values is not None else None,
                        "minimum": option.minimum if option.values is None else None,
                        "meaning": option.meaning,
                    }
                    for option in info.options
                ],
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    from arena.viewer.console import make_console

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("option", "value", "allowed", "meaning"):
        table.add_column(column, no_wrap=column != "meaning", overflow="fold")
    for option in info.options:
        value = _word(built.rules[option.name])
        mark = option.name in changed
        allowed = (
            f"{option.minimum}, {option.minimum + 1}, ..."
            if option.values is None
            else " ".join(_word(v) for v in option.values)
        )
        table.add_row(
            option.name,
            Text(value + (" *" if mark else ""), style="bold yellow" if mark else ""),
            allowed,
            option.meaning,
        )
    console = make_console()
    console.print(Text(f"{info.id}: {info.title}", style="bold"))
    console.print(table)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
