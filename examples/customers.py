#!/usr/bin/env python3
"""Writes a table of customers as companies have them: customers.py FILE [ROWS]. Text columns, counts, missing values.

The data is made up, so that the truth is known. A customer leaves because of the contract, of calls to support, of the
monthly fee and of age (the young and the old leave more). Those who left got a call to win them back. The other columns
follow from these, or from nothing: the plan sets the fee, the contract the tenure, calls the satisfaction.
"""
import csv
import math
import random
import sys

COLUMNS = ["region", "plan", "contract", "age", "tenure_months", "monthly_fee", "support_calls", "satisfaction",
           "win_back_call", "churned"]


def customer(draw):
    plan = draw.choice(["basic", "standard", "premium"])
    contract = draw.choice(["monthly", "monthly", "yearly"])
    age = draw.randint(18, 80)
    fee = max(5, {"basic": 15, "standard": 30, "premium": 50}[plan] + draw.gauss(0, 6))
    tenure = max(1, round(draw.gauss(30 if contract == "yearly" else 14, 8)))
    calls = min(9, int(draw.expovariate(0.5)))
    satisfaction = min(5, max(1, round(4.5 - 0.5 * calls + draw.gauss(0, 0.7))))
    risk = -3.6 + 1.8 * (contract == "monthly") + 0.5 * calls + 0.05 * (fee - 30) + 2.2 * ((age - 49) / 31) ** 2
    churned = draw.random() < 1 / (1 + math.exp(-risk))
    called = draw.random() < (0.55 if churned else 0.15)
    return {
        "region": draw.choice(["north", "south", "east", "west"]),
        "plan": plan,
        "contract": contract,
        "age": "" if draw.random() < 0.06 else age,  # not everybody tells their age
        "tenure_months": tenure,
        "monthly_fee": f"{fee:.2f}",
        "support_calls": calls,
        "satisfaction": "" if draw.random() < 0.2 else satisfaction,  # nor answers the survey
        "win_back_call": "yes" if called else "no",
        "churned": "yes" if churned else "no",
    }


def main():
    draw = random.Random(1)
    with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 2000):
            writer.writerow(customer(draw))


main()
