# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # From an empty sheet to a good recipe
#
# You have a reaction, a spreadsheet, and two weeks. `popbo next` reads the sheet and says what to
# try next ([guide](../lab.md)). Here, a formula stands in for the laboratory, so that we can see at
# the end how good the recipe really is. The code only fills in cells, as you would by hand.

# %%
import os
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.cli import main

SMOKE_TEST = bool(os.environ.get("SMOKE_TEST"))
plt.style.use("botorch_popbo.benchmarks.notebook")
os.chdir(mkdtemp())
chance = np.random.default_rng(0)


def true_yield(T: float, time: float, solvent: str) -> float:
    """Too cold, and too little reacts; too hot or too long, and the product decays."""
    gain = {"DMF": 1.0, "ethanol": 0.8, "water": 0.45}[solvent]
    rate, decay = 0.6 * np.exp((T - 70) / 20), 0.02 * np.exp((T - 70) / 10)
    grown = rate / (rate - decay) * (np.exp(-decay * time) - np.exp(-rate * time))
    return float(100 * gain * grown)


def fill_in() -> None:
    """Do the experiments whose result is empty; water boils away above 95 °C."""
    sheet = pd.read_csv("lab.csv", dtype=str, keep_default_na=False)
    for line in sheet.index[sheet["yield"] == ""]:
        T, time = float(sheet.at[line, "T"]), float(sheet.at[line, "time"])
        fails = sheet.at[line, "solvent"] == "water" and T > 95
        result = true_yield(T, time, sheet.at[line, "solvent"]) + chance.normal(0, 2)
        sheet.at[line, "yield"] = "failed" if fails else f"{max(result, 0):.1f}"
    sheet.to_csv("lab.csv", index=False)


# %% [markdown]
# ## The first call
#
# The sheet has headings but no rows yet. Usually, the first call writes `lab.toml`, which says
# which values each column may have. We write this file ourselves, with our own limits.

# %%
Path("lab.csv").write_text("T,time,solvent,yield\n")
Path("lab.toml").write_text(
    """
["T"]
range = [30, 110]
["time"]
range = [0.5, 12.0, "log"]
["solvent"]
choices = ["water", "ethanol", "DMF"]
["yield"]
result = "larger is better"
"""
)
main(["next", "lab.csv", "-n", "5"])

# %% [markdown]
# The sheet now has five rows, spread over the whole space. We do these experiments and add one of
# our own, in hot water. It boils away, so we write `failed`. The search learns from failures, too.

# %%
with open("lab.csv", "a") as file:
    file.write("105,2,water,\n")
fill_in()
print(Path("lab.csv").read_text())

# %% [markdown]
# ## One at a time
#
# After four results, a model chooses the experiments. Each call states the expected result.

# %%
for _ in range(3 if SMOKE_TEST else 6):
    main(["next", "lab.csv"])
    fill_in()

# %% [markdown]
# ## A row of your own, and a repeat
#
# The search has settled on ethanol, and has tried DMF only at other temperatures. You know your
# chemistry, so add a row of your own: the best recipe, but in DMF. We also copy the best row and
# leave its result empty, because a repeated experiment shows how much results scatter.


# %%
def best_row() -> pd.DataFrame:
    """The row with the best result, with this result left empty."""
    sheet = pd.read_csv("lab.csv", dtype=str, keep_default_na=False)
    best = pd.to_numeric(sheet["yield"], errors="coerce").idxmax()
    return sheet.loc[[best]].assign(**{"yield": ""})


rows = [best_row().assign(solvent="DMF"), best_row()]
pd.concat(rows).to_csv("lab.csv", mode="a", header=False, index=False)
fill_in()
print(Path("lab.csv").read_text())

# %% [markdown]
# ## A plate of eight

# %%
main(["next", "lab.csv", "-n", "2" if SMOKE_TEST else "8"])
fill_in()

# %% [markdown]
# ## What was found
#
# The file `lab.html` next to the sheet shows the best recipe, which parameters matter, and what to
# try next ([screenshot](../lab.md#the-page)). In the plot, the dots are the measured yields, which
# are all that a laboratory sees. The dashed line is the highest possible yield, which a real
# laboratory would not know.

# %%
sheet = pd.read_csv("lab.csv", dtype=str, keep_default_na=False)
numbers = pd.to_numeric(sheet["yield"], errors="coerce")
grid = [(T, t) for T in np.linspace(30, 110, 161) for t in np.geomspace(0.5, 12, 60)]
highest = max(true_yield(T, t, "DMF") for T, t in grid)
figure, panel = plt.subplots(figsize=(8, 3.6))
for number, solvent in enumerate(("DMF", "ethanol", "water")):
    is_here = sheet["solvent"] == solvent
    panel.plot(sheet.index[is_here] + 1, numbers[is_here], "o", color=f"C{number}", label=solvent)
failed = sheet.index[numbers.isna()] + 1
panel.plot(failed, np.zeros(len(failed)), "kx", label="failed")
panel.axhline(highest, color="0.6", linestyle="--")
panel.set(xlabel="experiment", ylabel="yield [%]")
figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# ## A mixture
#
# The components of a blend add up to a fixed total. One line above the columns says so. It also
# sets a step, so that you can weigh every suggested recipe.

# %%
Path("blend.csv").write_text("A,B,C,loss\n")
Path("blend.toml").write_text(
    """
sum = {of = ["A", "B", "C"], is = 100, step = 5}
["A"]
range = [0, 100]
["B"]
range = [0, 60]
["C"]
range = [0, 100]
["loss"]
result = "smaller is better"
"""
)
for number in (4, 2, 2) if SMOKE_TEST else (4, 4, 4, 4):
    main(["next", "blend.csv", "-n", str(number)])
    blend = pd.read_csv("blend.csv")
    away = (blend["A"] - 55) ** 2 + (blend["B"] - 30) ** 2 + (blend["C"] - 15) ** 2
    blend["loss"] = blend["loss"].fillna((0.1 * away**0.5).round(2))
    blend.to_csv("blend.csv", index=False)

# %%
top = blend.loc[blend["loss"].idxmin()]
row = sheet.loc[numbers.idxmax()]
found = true_yield(float(row["T"]), float(row["time"]), row["solvent"])
print(
    f"In short: {len(sheet)} experiments, {len(failed)} failed; the best one truly yields "
    f"{found:.0f} %, and {highest:.0f} % is possible. The best of {len(blend)} blends is "
    f"{top['A']:.0f} : {top['B']:.0f} : {top['C']:.0f}, and the target was 55 : 30 : 15."
)
