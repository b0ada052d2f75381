"""Unpacks the Python files of a wheel. usage: unpack.py WHEEL FOLDER"""

import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if name.endswith(".py"):
            wheel.extract(name, sys.argv[2])
