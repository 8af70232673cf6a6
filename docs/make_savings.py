"""Draw docs/savings.svg, which shows why fewer games suffice, from figures of the statistics benchmark.

    python benchmarks/statistics --only gains,sprt --json figures.json
    python docs/make_savings.py figures.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "savings.svg"
WIDTH, LEFT, BAR, ROW = 790, 280, 430, 26
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .head { font-weight: 600 }
  .small { font-size: 12px; fill: #59636e }
  .bar { fill: #0969da }
  .naive { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9198a1 }
    .bar { fill: #4493f8 }
    .naive { fill: #656c76 }
  }
"""
KINDS = {"unlike": "Two bots of different design", "family": "Two versions of one bot"}


def bars(figures: dict[str, float], kind: str) -> list[tuple[str, float]]:
    """Games that it takes to tell 20 Elo from none, wrong in at most 5 %: by method."""
    naive = figures["naive games"]
    return [
        ("every game on its own deal", naive),
        ("each deal twice, seats swapped", naive / figures[f"{kind}: duplicate, times fewer games"]),
        ("... and the cards' luck taken off", naive / figures[f"{kind}: adjusted, times fewer games"]),
        (
            "... and stopped when it is decided",
            naive / figures[f"{kind}, duplicate + luck: times fewer than naive"],
        ),
    ]


def picture(figures: dict[str, float]) -> str:
    longest = figures["naive games"]
    parts: list[str] = []
    y = 24
    for kind, title in KINDS.items():
        parts.append(f'<text class="head" x="16" y="{y}">{title}</text>')
        y += 10
        for k, (name, games) in enumerate(bars(figures, kind)):
            length = BAR * games / longest
            parts.append(f'<text x="16" y="{y + 17}">{name}</text>')
            parts.append(
                f'<rect class="{"bar" if k else "naive"}" x="{LEFT}" y="{y + 4}" width="{length:.0f}"'
                f' height="{ROW - 8}" rx="3"/>'
            )
            parts.append(f'<text x="{LEFT + length + 8:.0f}" y="{y + 17}">{games:,.0f}</text>')
            y += ROW
        y += 30
    parts.append(
        f'<text class="small" x="16" y="{y - 8}">Games to tell 20 Elo from none, wrong one time in twenty at'
        " most; medians over real games.</text>"
    )
    label = "; ".join(
        f"{title}: " + ", ".join(f"{name} {games:,.0f} games" for name, games in bars(figures, kind))
        for kind, title in KINDS.items()
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" width="{WIDTH}"'
        f' role="img" aria-label="{label}">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    FILE.write_text(picture(json.loads(Path(sys.argv[1]).read_text())), encoding="utf-8")
