"""Record the conformance vectors of every release anew, each in an environment of its own:

    python tests/conformance/record_all.py [--cases N] [--python-0.13 PATH] [--python-0.19 PATH]

Without a path, a virtual environment is made in a temporary folder and the release installed into it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASES = ("0.13.0", "0.19.0")


def python_with(release: str, folder: Path) -> Path:
    """A Python in a new environment that has the release and nothing else."""
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
    parser.add_argument("--cases", type=int, default=4000, help="how many cases a release")
    for release in RELEASES:
        parser.add_argument(
            f"--python-{release[:4]}", type=Path, dest=release, help=f"a Python that has {release}"
        )
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        for release in RELEASES:
            python = options[release] or python_with(release, Path(folder))
            out = HERE / f"vectors-{release}.jsonl.gz"
            command = [
                str(python),
                str(HERE / "record.py"),
                "--cases",
                str(options["cases"]),
                "--out",
                str(out),
            ]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
