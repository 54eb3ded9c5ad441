#!/usr/bin/env python3
"""Turns recordings of the UEA archive (.ts, .ts.gz) into a long table that macmi reads: one row per recording and step.

    examples/uea_to_csv.py BasicMotions_TRAIN.ts.gz motions.csv
    macmi inspect --data motions.csv --id recording --time step --target label

Every channel becomes a series feature. Needs nothing beyond Python.
"""
import csv
import gzip
import sys


def open_text(path):
    return gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")


def recordings(path):
    """(channels, label) of each recording: after @data one line each, channels between colons, the label last."""
    with open_text(path) as file:
        for line in file:
            if line.strip().lower() == "@data":
                break
        for line in file:
            if line.strip():
                *channels, label = line.strip().split(":")
                yield [channel.split(",") for channel in channels], label


def main(source, destination):
    with open(destination, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for number, (channels, label) in enumerate(recordings(source)):
            if number == 0:
                writer.writerow(["recording", "step", *(f"channel{c}" for c in range(len(channels))), "label"])
            for step, values in enumerate(zip(*channels)):
                # "?" is the archive's missing value; the numbers pass through untouched.
                writer.writerow([number, step, *("" if value == "?" else value for value in values), label])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
