"""The chart pane in a running app: what it shows, and when it is drawn again."""

import re

import numpy as np
import pytest
from msgspec.structs import replace
from support.styled_app import StyledApp
from support.waiting import until
from textual.app import ComposeResult
from textual.strip import Strip

from ldptui.charts.draw import draw, zoom_chart
from ldptui.charts.rows import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT, Charset, Look
from ldptui.charts.series import Axis, Bar, Bars, Chart, Plot, Series
from ldptui.widgets.plot import ChartView, palette_of


def plot(*y: float, title: str = "Title") -> Plot:
    axis = Axis("y", low=0, high=10)
    series = Series("s", tuple(range(len(y))), y, "series-0", "points")
    return Plot(title, Axis("x", low=0, high=len(y)), axis, (series,))


class Watched(ChartView):
    """Notes which rows are rendered."""

    def __init__(self, chart: Chart | None = None, **kwargs: str) -> None:
        super().__init__(chart, **kwargs)
        self.rendered: list[int] = []

    def render_line(self, y: int) -> Strip:
        self.rendered.append(y)
        return super().render_line(y)

    def shown(self) -> list[str]:
        """The rows as text, without the spaces at the end."""
        return [self.render_line(y).text.rstrip() for y in range(self.size.height)]


class Host(StyledApp):
    def __init__(self, chart: Chart | None = None, charset: Charset = "braille") -> None:
        super().__init__()
        self.charset: Charset = charset
        self.view = Watched(chart, empty="nothing here")

    def compose(self) -> ComposeResult:
        yield self.view


def expected(app: Host, chart: Chart) -> list[str]:
    strips = draw(chart, Look(*app.view.size, palette_of(app), app.charset))
    return [strip.text.rstrip() for strip in strips]


async def test_it_shows_the_rows_of_the_chart() -> None:
    chart = plot(1, 5, 9)
    app = Host(chart)
    async with app.run_test(size=(60, 20)):
        assert app.view.shown() == expected(app, chart)
        assert app.view.shown()[0] == "Title"


async def test_a_chart_draws_the_rows_that_differ() -> None:
    app = Host(plot(1, 5, 9))
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.rendered.clear()
        app.view.chart = plot(1, 5, 9)
        await pilot.pause()
        assert app.view.rendered == []
        app.view.chart = other = replace(plot(1, 5, 9), title="Another")
        await pilot.pause()
        assert app.view.rendered == [0]
        assert app.view.shown() == expected(app, other)


async def test_the_rows_are_drawn_once_for_all_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Chart] = []

    def counted(chart: Chart, *args: object) -> list[Strip]:
        calls.append(chart)
        return draw(chart, *args)  # type: ignore[arg-type]

    monkeypatch.setattr("ldptui.charts.draw.draw", counted)
    app = Host(plot(1, 5, 9))
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.refresh()
        await pilot.pause()
        assert len(calls) == 1
        app.view.chart = plot(2, 5, 9)
        await pilot.pause()
        assert len(calls) == 2


async def test_zoom_shows_a_part_of_the_axis_around_the_cursor() -> None:
    xs = [float(x) for x in range(101)]
    chart = Plot("t", Axis("x"), Axis("y"), (Series("s", xs, xs, "series-0"),), cursor=20.0)
    zoomed = zoom_chart(chart, 10)
    assert isinstance(zoomed, Plot)
    assert (zoomed.x.low, zoomed.x.high) == pytest.approx((15, 25))
    edge = zoom_chart(replace(chart, cursor=1.0), 10)
    assert isinstance(edge, Plot)
    assert (edge.x.low, edge.x.high) == pytest.approx((0, 10))
    assert zoom_chart(chart, 1) == chart
    app = Host(chart)
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.zoom = 10
        await pilot.pause()
        assert app.view.shown() == expected(app, zoomed)
        app.view.zoom = 1
        await pilot.pause()
        assert app.view.shown() == expected(app, chart)


async def test_charts_of_arrays() -> None:
    def arrays(last: float) -> Plot:
        x = np.arange(3.0)
        return replace(
            plot(1, 2, 3), series=(Series("s", x, np.array([1, 2, last]), "series-0", "points"),)
        )

    app = Host(arrays(3))
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.chart = arrays(8)
        await pilot.pause()
        assert app.view.shown() == expected(app, arrays(8))


async def test_without_a_chart_it_says_so() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        assert [row.strip() for row in app.view.shown() if row] == ["nothing here"]
        app.view.empty = "still nothing"
        await pilot.pause()
        assert [row.strip() for row in app.view.shown() if row] == ["still nothing"]
        app.view.chart = plot(1, 5, 9)
        await pilot.pause()
        assert app.view.shown() == expected(app, plot(1, 5, 9))
        app.view.chart = None
        await pilot.pause()
        assert [row.strip() for row in app.view.shown() if row] == ["still nothing"]


async def test_a_new_size_is_a_new_picture() -> None:
    chart = plot(1, 5, 9)
    app = Host(chart)
    async with app.run_test(size=(60, 20)) as pilot:
        for size in ((80, 24), (30, 8), (5, 2), (120, 40)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: app.view.size == size)
            assert app.view.shown() == expected(app, chart)


def _colour_of_the_point(view: ChartView) -> str:
    styles = [
        segment.style
        for y in range(2, view.size.height)
        for segment in view.render_line(y)
        if any(char == "●" or char > "\u2800" for char in segment.text)
    ]
    assert styles
    assert styles[0] is not None
    assert styles[0].color is not None
    return styles[0].color.name


async def test_colours_follow_the_theme() -> None:
    app = Host(plot(1, 5, 9))
    async with app.run_test(size=(60, 20)) as pilot:
        found = []
        for theme in ("textual-light", "textual-dark", "ansi-dark", "ansi-light"):
            app.theme = theme
            app.view.rendered.clear()
            await pilot.pause()
            assert set(app.view.rendered) == set(range(20))
            found.append(_colour_of_the_point(app.view))
            for y in range(20):
                for segment in app.view.render_line(y):
                    assert segment.style is not None
                    assert segment.style.bgcolor == app.view.rich_style.bgcolor
        assert found == [palette.series[0] for palette in (LIGHT, DARK, ANSI_DARK, ANSI_LIGHT)]


async def test_every_theme_can_be_drawn() -> None:
    app = Host(plot(1, 5, 9))
    async with app.run_test(size=(60, 20)) as pilot:
        for theme, native in [(name, None) for name in app.available_themes] + [
            ("ansi-dark", False)
        ]:
            app.theme = theme
            app.ansi_color = native
            await pilot.pause()
            assert app.view.shown()[0] == "Title"
            assert app.view.as_svg().startswith("<svg")


async def test_the_charset_of_the_app() -> None:
    app = Host(plot(1, 5, 9), charset="ascii")
    async with app.run_test(size=(60, 20)) as pilot:
        assert "".join(app.view.shown()).isascii()
        app.charset = "braille"
        app.view.refresh()
        await pilot.pause()
        assert not "".join(app.view.shown()).isascii()


async def test_a_hidden_chart_is_drawn_when_it_comes_back() -> None:
    app = Host(plot(1, 5, 9))
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.display = False
        await pilot.pause()
        app.view.chart = plot(9, 1, 1)
        await pilot.pause()
        app.view.display = True
        await pilot.pause()
        assert app.view.shown() == expected(app, plot(9, 1, 1))


async def test_as_text_and_as_svg() -> None:
    chart = Bars("Bars & more", (Bar("a", 1.0, 0.1), Bar("b", 0.5)))
    app = Host(chart, charset="braille")
    async with app.run_test(size=(60, 20)):
        text = app.view.as_text()
        assert text.splitlines() == expected(app, chart)
        svg = app.view.as_svg()
        assert svg.startswith("<svg")
        assert re.findall(r"\w+://[^\"\s]+|@font-face", svg) == ["http://www.w3.org/2000/svg"]
        assert "Bars&#160;&amp;&#160;more" in svg
        assert DARK.clean in svg.lower()
        assert svg == app.view.as_svg()
