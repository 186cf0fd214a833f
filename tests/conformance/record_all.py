"""Record the conformance vectors of every release again, each in a separate environment:

    python tests/conformance/record_all.py [--cases N] [--python-0.13.0 PATH] [--python-0.18.2 PATH] ...

Without a path, it makes a virtual environment in a temporary folder and installs the release into it. Vectors contain
the differences from the release before, so all are recorded, oldest first.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: One release per behaviour. The profiles name the releases with equal vectors.
RELEASES = ("0.13.0", "0.15.2", "0.16.0", "0.17.0", "0.18.0", "0.18.2", "0.19.0", "0.20.0")
#: Releases that are not on the package index. They need --python-RELEASE; see docs/releases.md.
ELSEWHERE = frozenset({"0.20.0"})


def python_with(release: str, folder: Path) -> Path:
    """Return a Python in a new environment that has only the release."""
    home = folder / release
    venv.create(home, with_pip=True)
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", f"hermes-agent=={release}"]
    subprocess.run(install, check=True)
    return python


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=4000, help="cases per release")
    for release in RELEASES:
        parser.add_argument(
            f"--python-{release}", type=Path, dest=release, help=f"a Python that has {release}"
        )
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        base: list[str] = []
        for release in RELEASES:
            if release in ELSEWHERE and not options[release]:
                print(
                    f"{release} is not on the package index; name a Python that has it with --python-{release}."
                )
                continue
            python = options[release] or python_with(release, Path(folder))
            out = HERE / f"vectors-{release}.jsonl.gz"
            command = [
                str(python),
                str(HERE / "record.py"),
                "--cases",
                str(options["cases"]),
                "--out",
                str(out),
                *base,
            ]
            subprocess.run(command, check=True)
            base = ["--base", str(out)]


if __name__ == "__main__":
    main()
