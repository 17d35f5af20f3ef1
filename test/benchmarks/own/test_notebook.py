import re
from pathlib import Path

import pandas as pd
import pytest

from botorch_popbo import Optimizer
from botorch_popbo.benchmarks.cli import main
from botorch_popbo.benchmarks.own.page import Report
from botorch_popbo.candidates import mixtures

PLAIN = "T,solvent,yield\n20,water,10\n40,DMF,30.5\n60,water,\n80,DMF,failed\n"
GERMAN = """\
Nr;Temperatur [°C];Lösungsmittel;Zeit (h);Ausbeute [%];Bemerkung\r
1;20;Wasser;0,5;12,5;\r
2;40;DMF;1,5;33;trüb, dann klar\r
3;60;DMF;2,0;fehlgeschlagen;Pumpe aus\r
4;80;Äthanol;1,0;<0,1;\r
;;;;;\r
5;80;Äthanol;1,0;>99;Wdh.\r
"""
NOTES = "Run,day,why,c,e,T,yield\n" + "".join(
    f"{9 - i},{i}.11.2026,{'pump off' * (i == 2)},{i},,{i}0,{i}\n" for i in range(1, 6)
)
NAMED = "code,T,yield\n" + "".join(f"{i}a,{i}0,{i}\n" for i in range(11))
#: A table, what settings take its columns for, and how the new row begins.
SHEETS = {
    "commas": (PLAIN, ["range = [20, 80]\n", 'choices = ["water", "DMF"]'], ""),
    "german": (GERMAN, ["range = [0.5, 2.0]", "Äthanol"], ";"),
    "latin": (GERMAN.encode("cp1252"), ['["Temperatur [°C]"]', "Äthanol"], ";"),
    "units": ("T;c;loss\n°C;mol/l;\n20;0,5;3\n90;0,75;1\n", ["range = [0.5, 0.75]", "smaller"], ""),
    "types": ("NAME,T,yld\nTYPE,DATA,DATA\n0,30,1\n1,90,2\n", ["range = [30, 90]"], ","),
    "tabs": ("T\tyield\n20\t1\n30\t2\n\n\n40\t", ["range = [20, 40]\n"], ""),
    "decimals": ("x\tyield\n1,250\t1\n2,500\t2\n", ["range = [1.25, 2.5]\n"], ""),
    "quoted": ('base,T,yield\n"2,6-lutidine",20,5\nTEA,30,6\nTEA,40,\n', ['"2,6-lutidine"'], ""),
    "heads": ('"T,\n[°C]";x;yield\n20;1,5;1\n30;2,5;2\n', ['["x"]\nrange = [1.5, 2.5]'], ""),
    "no results": ("T,time,rate\n20,1,\n40,2,\n", ['["time"]\nresult = "larger is better"'], ""),
    "goals": ("T,yield,cost of it\n10,2,3\n30,4,5\n", ["larger", "smaller"], ""),
    "halves": ("x,yield\n1,2\n1.5,3\n2,4\n", ["range = [1.0, 2.0]\n"], "1."),
    "empty": ("Nr,T,yield,remarks", ["[0.0, 1.0]  # invented: there", '["yield"]\nresult'], ","),
    "zeros": ("n,yield\n0,1\n9,2\n,\n8,1\n3,1", ["range = [0, 9]"], ""),
    "typing error": (
        "T,x,yld\n20,0.5,1\n3O,2,2\n40,3,3\n",
        ["# \"T\" is ignored: '3O' in line 3"],
        ",",
    ),
    "few": ("rate,kernel,loss\n0.1,rbf,3\n0.2,poly,1\n", ['choices = ["rbf", "poly"]'], "0."),
    "notes": (
        NOTES,
        [f'# "{name}" is ignored: it' for name in ("Run", "day", "why", "c", "e")],
        ",",
    ),
    "names": (NAMED, ['# "code" is ignored: it seems to number, name'], ","),
    "digits": ("x,yield\n0.123456,2\n0.98765,3\n", ["range = [0.123456, 0.98765]\n"], "0."),
}


def call(*arguments: object) -> int:
    return main(["next", *map(str, arguments)])


@pytest.mark.parametrize(("content", "looks", "begins"), SHEETS.values(), ids=SHEETS)
def test_rows_are_written_below_a_table(
    tmp_path: Path, content: str | bytes, looks: list[str], begins: str
) -> None:
    before = content if isinstance(content, bytes) else content.encode()
    (path := tmp_path / "lab.csv").write_bytes(before)
    assert call(path) == 0
    assert path.read_bytes() == before  # at first columns are looked at
    settings = path.with_suffix(".toml").read_text(encoding="utf-8")
    assert all(look in settings for look in looks)
    for _ in range(2):  # what has no result yet is not tried twice
        assert call(path, "-n", 2) == 0
    after = path.read_bytes()
    assert after.startswith(before)
    new = after[len(before) :].decode("cp1252").split()
    assert len({*new}) == len(new) == 4
    assert all(row.startswith(begins) for row in new)


@pytest.mark.parametrize(
    ("content", "settings", "fault"),
    [
        (PLAIN.replace("30.5", "good"), None, "line 3: yield must be a number"),
        (PLAIN.replace("30.5", '"30,5"').replace("10", "1.5"), None, "decimal commas"),
        (PLAIN.replace("30.5", '"1,500"'), None, "has 1,500. Write 1500 or 1.500"),
        (PLAIN.replace("40", ""), None, "line 3: the point lacks 'T'"),
        (PLAIN.replace("DMF,f", "THF,f"), 'choices = ["water", "DMF"]', "line 5: .*solvent is THF"),
        ("T,yield\0\n1,2\n", None, "is not a CSV file"),
        (PLAIN, "choices = 3\n[other]", "no column or setting 'other'"),
        ("Notes of May\n\nT,yield\n1,2\n", None, "line 3 has 2 values, more than"),
        (PLAIN, 'result = "best"', "a result must be one of"),
        (PLAIN, "range = [3, 1]", "solvent: A range needs two finite ends"),
        (PLAIN, "range = 3, 1]", "Expected newline"),
        (PLAIN, "step = 1", "solvent: {'step': 1} is neither a tuple nor a list"),
        (PLAIN, "rnge = [3, 1]", "solvent has no key 'rnge'; did you mean 'range'"),
        (PLAIN, 'chioces = ["DMF"]', "solvent has no key 'chioces'; did you mean 'choices'"),
        (PLAIN, 'reslut = "larger is better"', "no key 'reslut'; did you mean 'result'"),
        (PLAIN, "at_leats = 3", "solvent has no key 'at_leats'; did you mean 'at_least'"),
        (PLAIN, "choices = 3\n[experiment]", "'experiment'; did you mean 'experiments'"),
        (
            PLAIN,
            'choices = ["DMF", "water"]\n[sum]\nstpe = 1',
            "sum has no key 'stpe'; did you mean 'step'",
        ),
        (PLAIN, "[THF]\nrange = [1, 2]", "no column or setting 'THF'"),
        ("T,yld\n20,1\n3O,2\n40,3\n", None, "no column has a range or choices"),
        (
            PLAIN.replace("30.5", "None"),
            None,
            "line 3: .* must be a number, failed or empty, not None",
        ),
        (PLAIN.replace("solvent", "T "), None, "two columns 'T'. Rename one of them"),
        (PLAIN, 'result = ["best"]', r"a result must be one of .*, not \['best'\]"),
        (
            PLAIN,
            'choices = ["DMF", "water"]\n[sum]\nof = ["T", "THF"]',
            "sum must be like .*, of columns with nothing but a range, not",
        ),
        (
            PLAIN,
            'choices = ["DMF", "water"]\n[sum]\nof = ["T", "yield"]\nis = "1"',
            "sum must be like .*, of columns",
        ),
    ],
)
def test_what_does_not_fit_is_said(
    tmp_path: Path,
    content: str,
    settings: str | None,
    fault: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (path := tmp_path / "lab.csv").write_text(content)
    if settings:
        written = (
            f'[T]\nrange = [20, 80]\n[yield]\nresult = "larger is better"\n[solvent]\n{settings}'
        )
        path.with_suffix(".toml").write_text(written)
    else:
        call(path)
    assert call(path) == 2
    assert re.search(fault, capsys.readouterr().err)
    assert path.read_text() == content


def test_a_list_of_candidates_is_tried_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.csv").write_text("T,base,mol\n20,TEA,1\n40,none,\n60,DBU,2.5\n")
    (path := tmp_path / "lab.csv").write_text("T,base,mol,yield\n20,TEA,1,3\n")
    path.with_suffix(".toml").write_text(
        'candidates = "list.csv"\n[yield]\nresult = "larger is better"\nat_least = 1\n'
    )
    assert call(path, "-n", 9) == call(path) == 0
    assert "nothing is left to try" in capsys.readouterr().out
    assert sorted(path.read_text().splitlines()[2:]) == ["40,none,,", "60,DBU,2.5,"]


@pytest.mark.parametrize(
    ("table", "listed", "fault"),
    [
        ("base,yield\nTEA,3\nDBU,5\n", "base,pKa\nTEA,11\nDBU,13.5\nDMAP,9.6\n", ""),
        ("base,yield\nNaH,3\n", "base,pKa\nTEA,11\nDBU,13.5\n", "line 2: this is none of"),
        ("base,yield\nTEA,3\n", "base,T\nTEA,20\nTEA,40\n", "which candidate a row is. Add T"),
    ],
)
def test_a_list_may_describe_what_a_table_only_names(
    tmp_path: Path, table: str, listed: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.csv").write_text(listed)
    (path := tmp_path / "lab.csv").write_text(table)
    path.with_suffix(".toml").write_text(
        'candidates = "list.csv"\n[yield]\nresult = "larger is better"\n'
    )
    if fault:
        assert call(path) == 2
        assert fault in capsys.readouterr().err
        assert path.read_text() == table
    else:
        assert call(path, "-n", 9) == 0
        assert path.read_text() == f"{table}DMAP,\n"
        assert "best so far: base DBU, pKa 13.5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "step"),
    [
        ("12.5,50,37.5,1,1\n50,25,25,1,3\n0,0,100,1,2\n", 1),
        ("12.5,50,37.5,1,1\n20,30.25,49.75,1,2\n", 0.01),
    ],
)
def test_steps_of_recipes_fit_their_least_amounts(tmp_path: Path, rows: str, step: float) -> None:
    (path := tmp_path / "lab.csv").write_text(f"A,B,C,T,yield\n{rows}")
    assert call(path) == call(path, "-n", 9) == 0
    assert f"step = {step}}}" in path.with_suffix(".toml").read_text()
    for line in path.read_text().splitlines()[1:]:
        cells = line.split(",")
        assert sum(map(float, cells[:3])) == pytest.approx(100.0)
        assert cells[3] == "1"  # in all rows, and so in the new ones


def test_a_part_of_a_recipe_is_never_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "20,80,0,1\n50,25,25,3\n0,0,100,2\n40,30,30,4\n"
    (path := tmp_path / "lab.csv").write_text(f"A,B,C,yield\n{rows}")
    call(path)
    for cell in ("", "failed"):
        path.write_text(f"A,B,C,yield\n{rows}{cell},50,50,9\n")
        assert call(path) == 2
        assert re.search("line 6: A is (None|nan), not a number", capsys.readouterr().err)


def test_a_letter_that_the_table_cannot_hold_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = "base,yield\né,1\n".encode("cp1252")
    (path := tmp_path / "lab.csv").write_bytes(content)
    path.with_suffix(".toml").write_text(
        '[base]\nchoices = ["é", "\u03b1"]\n[yield]\nresult = "larger is better"\n',
        encoding="utf-8",
    )
    assert call(path) == 2
    assert "lab.csv in UTF-8 to hold '\u03b1'." in capsys.readouterr().err
    assert path.read_bytes() == content


def test_parts_make_a_whole(tmp_path: Path) -> None:
    rows = "20,80,0,a,1\n50,25,25,b,3\n0,0,100,a,2\n"
    (path := tmp_path / "lab.csv").write_text(f"A,B,C,kind,yield\n{rows}")
    call(path)
    settings = path.with_suffix(".toml")
    assert 'sum = {of = ["A", "B", "C"], is = 100, step = 1}' in settings.read_text()
    settings.write_text(settings.read_text().replace("step = 1", "step = 5"))
    assert call(path, "-n", 12) == 0
    new = [line.split(",") for line in path.read_text().splitlines()[4:]]
    assert {sum(map(float, row[:3])) for row in new} == {100.0}
    assert {float(cell) % 5 for row in new for cell in row[:3]} == {0.0}
    assert {row[3] for row in new} == {"a", "b"}


def test_a_workbook_and_a_copy_leave_the_file_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"T": [20, 40], "Lösung": ["None", "NA"], "yield": [1.5, None]})
    frame.to_excel(path := tmp_path / "lab.xlsx", index=False)
    before = path.read_bytes()
    assert call(path) == 0
    assert 'choices = ["None", "NA"]' in capsys.readouterr().out
    assert call(path) == call(path, "--copy", tmp_path / "copy.csv") == 0
    assert path.read_bytes() == before
    for name in ("lab-next.csv", "copy.csv"):
        head, row = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        assert head == "T,Lösung,yield"
        assert row.endswith(",")
    for content in (b"", b"T,yield", b"PK\3\4"):
        path.write_bytes(content)
        assert call(path) == 2
        assert f"{path} is not a workbook. Save" in capsys.readouterr().err


NAMES = "<b>heat</b> & co;Lösungsmittel"


@pytest.mark.parametrize(
    ("results", "settings", "words"),
    [
        ("failed;failed;failed", "", ["3 experiments, 3 failed", "Nothing has succeeded yet"]),
        ("", "", ["no results yet"]),
        ("7", "", ["measured 7.", "after 4 results"]),
        ("1;2;7;3;4;2;failed", "", ["changes it by up to", "± ", "chance of anything better"]),
        ("1e300;-1e300;2;3;1e300", "", ["All experiments"]),
        ("1e17;1e17;1e17;1e17;1e17", "", ["no clear effect"]),
        ("1;2;7;3;4;2", "at_most = 5", ["at most 5 is wanted", "limits dashed"]),
        ("1,5;2;7,5;3", "", ['<td colspan="3"><p>', "7.5"]),
    ],
)
def test_a_page_says_what_was_learned(
    tmp_path: Path, results: str, settings: str, words: list[str]
) -> None:
    cells = enumerate(results.split(";"))
    rows = [f"{20 + 10 * i};{('Äther', 'DMF')[i % 2]};{cell}\n" for i, cell in cells]
    (path := tmp_path / "lab.csv").write_text(f"{NAMES};yield\n{''.join(rows)}", encoding="utf-8")
    path.with_suffix(".toml").write_text(
        '["<b>heat</b> & co"]\nrange = [20, 90]\n["Lösungsmittel"]\nchoices = ["Äther", "DMF"]\n'
        f'["yield"]\nresult = "larger is better"\n{settings}\n',
        encoding="utf-8",
    )
    assert call(path, "-n", 2) == call(path) == 0  # over its own page
    page = path.with_suffix(".html").read_text(encoding="utf-8")
    assert [one for one in (*words, "&lt;b&gt;heat&lt;/b&gt; &amp; co") if one not in page] == []
    assert not re.search(r"<b>heat|https?:|NaN|nan\b", page)


def test_rows_outside_of_the_space_teach_and_are_not_recommended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "lab.csv").write_text("heat,yield\n100,3\n110,2\n120,1\n130,0\n")
    path.with_suffix(".toml").write_text(
        '[heat]\nrange = [20, 90]\n[yield]\nresult = "larger is better"\n'
    )
    assert call(path) == 0
    told = capsys.readouterr().out
    assert re.search(r"try heat .*\n.* Expected: yield .* ± ", told)
    assert "best so far" not in told


def test_columns_that_are_not_in_the_settings_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "lab.csv").write_text("id,T,yield,day\n7,20,5,1\n9,30,6,2\n")
    path.with_suffix(".toml").write_text(
        '[T]\nrange = [20, 90]\n[yield]\nresult = "larger is better"\n'
    )
    assert call(path) == 0
    assert "ignored, as not in lab.toml: id, day\n" in capsys.readouterr().out


def test_a_page_of_another_program_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "lab.csv").write_text(PLAIN)
    (page := path.with_suffix(".html")).write_text("<html>mine</html>")
    assert call(path) == call(path) == 0
    assert page.read_text() == "<html>mine</html>"
    assert "is not a page of popbo next" in capsys.readouterr().out


def test_parts_of_a_whole_keep_their_sum_on_the_page(tmp_path: Path) -> None:
    optimizer = Optimizer(
        mixtures({"A": (0, 100), "B": (0, 60), "C": (0, 100)}, 100, 10), "maximize"
    )
    for a, b in ((20, 30), (50, 10), (80, 20), (0, 50), (60, 40)):
        optimizer.tell({"A": a, "B": b, "C": 100 - a - b}, a - abs(b - 20))
    report = Report(
        "lab.csv", optimizer, [], lambda p: {n: str(v) for n, v in p.items()}, ["A", "B", "C"]
    )
    for name in "ABC":
        points = [point for _, point in report._along(name)]
        assert len(points) > 5
        assert all(sum(point.values()) == pytest.approx(100) for point in points)
        assert max(point["B"] for point in points) <= 60
