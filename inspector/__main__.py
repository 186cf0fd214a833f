"""python -m inspector"""

from inspector.cli import main

# The processes of a sweep import this module too.
if __name__ == "__main__":
    main()
