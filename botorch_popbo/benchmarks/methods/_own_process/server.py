"""What runs in another process: reads requests and writes answers, one line of JSON each.

Run by path with the path of a script. Neither this file nor the script may import this package,
which need not be installed there. The script has a function ``start`` that takes a list of
dimensions (see ``_libraries.Dimension``) and returns a function that takes rows, losses and a seed
and returns the next row.
"""

import json
import os
import runpy
import sys
from typing import Any


def main() -> None:
    """Serve until the standard input ends."""
    # What the library prints is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    suggest = None
    for line in sys.stdin:
        answer: dict[str, Any] = {}
        try:
            request = json.loads(line)
            if suggest is None:
                suggest = runpy.run_path(sys.argv[1])["start"](request)
            else:
                answer["row"] = suggest(**request)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
