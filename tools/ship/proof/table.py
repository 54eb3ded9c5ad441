"""Writes sales.csv: an ordinary table with numbers, categories and missing values. y depends on price, region and season;
stock follows price, and the rest is noise."""
import csv
import random

draw = random.Random(1)
with open("sales.csv", "w", newline="", encoding="utf-8") as file:
    rows = csv.writer(file)
    rows.writerow(["price", "region", "season", "stock", "clerk", "y"])
    for _ in range(600):
        price, season = draw.gauss(0, 1), draw.uniform(-3, 3)
        region = draw.choice(["north", "south", "west"])
        stock = price + draw.gauss(0, 0.7)
        y = price + (2 if region == "north" else 0) + season**2 / 2 + draw.gauss(0, 0.5)
        rows.writerow([f"{price:.4f}", region, f"{season:.4f}", "" if draw.random() < 0.05 else f"{stock:.4f}", draw.choice("abcd"), f"{y:.4f}"])
