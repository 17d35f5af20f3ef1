import logging
import re
import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@each_notebook
@pytest.mark.slow
@pytest.mark.usefixtures("few_samples")
def test_notebook_runs(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMOKE_TEST", "1")
    monkeypatch.delenv("POPBO_DATA", raising=False)
    with warnings.catch_warnings(record=True) as caught, plt.rc_context({"backend": "agg"}):
        try:
            runpy.run_path(str(path), run_name="__main__")
        finally:
            logging.disable(logging.NOTSET)
            plt.close("all")
    ours = (str(ROOT / "botorch_popbo"), str(ROOT / "notebooks"))
    # Not those of libraries about each other.
    assert [str(w.message) for w in caught if w.filename.startswith(ours)] == []
    assert capsys.readouterr().out.splitlines()[-1].startswith("In short: ")


@each_notebook
def test_the_pair_and_the_page_show_the_notebook_as_it_is(path: Path) -> None:
    """After a change, .ci/notebooks runs all of them and writes both."""
    jupytext = pytest.importorskip("jupytext")
    source = [(cell.cell_type, cell.source) for cell in jupytext.read(path).cells]
    executed = jupytext.read(path.with_suffix(".ipynb")).cells
    assert [(cell.cell_type, cell.source) for cell in executed] == source
    code = [cell for cell in executed if cell.cell_type == "code"]
    assert all(c.execution_count or "interactive" in c.metadata.get("tags", ()) for c in code)
    page = (ROOT / "docs" / "notebooks" / f"{path.stem}.md").read_text()
    shown = re.findall(r"^```python\n(.*?)\n```$", page, flags=re.DOTALL | re.MULTILINE)
    assert shown == [text for kind, text in source if kind == "code"]
    assert f"\nnotebooks/{path.stem}\n" in (ROOT / "docs" / "index.md").read_text()
