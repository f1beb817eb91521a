"""Animals on legs, drawn from the side: feet at the origin, facing right."""

from __future__ import annotations

from math import cos, sin

from rehearsal.demo.art.palette import dark, mix, pale
from rehearsal.demo.art.pen import Colour, Pen, Point
from rehearsal.demo.art.pose import Pose

INK: Colour = (34, 30, 40)
PINK: Colour = (236, 140, 150)


def legs(pen: Pen, hips: list[Point], width: float, coat: Colour, pose: Pose) -> None:
    """Legs that swing in turn, the far ones darker."""
    for number, (x, y) in enumerate(hips):
        beat = pose.phase + (0.0 if number in (0, 3) else 3.14)
        swing, lift = 0.26 * sin(beat) * pose.stride, 0.14 * max(0.0, cos(beat)) * pose.stride
        shade = dark(coat, 0.3) if number < 2 else dark(coat, 0.06)
        foot = (x + swing, -width / 2 - lift)
        pen.stroke([(x, y), (x + swing * 0.4, y * 0.5), foot], width, shade, smooth=True)
        pen.ellipse(foot[0] + 0.05, foot[1] + 0.01, width * 0.62, width * 0.46, shade)


def eye(pen: Pen, x: float, y: float, size: float) -> None:
    pen.ellipse(x, y, size * 1.3, size * 1.5, (255, 255, 255))
    pen.ellipse(x + size * 0.25, y, size * 0.85, size * 1.05, INK)
    pen.ellipse(x + size * 0.5, y - size * 0.4, size * 0.32, size * 0.32, (255, 255, 255))


def cat(pen: Pen, coat: Colour, pose: Pose) -> None:
    sway = 0.12 * sin(pose.phase * 0.5)
    if pose.gesture == "sit":
        _cat_sitting(pen, coat, sway)
    else:
        tail = [(-0.62, -0.85), (-1.0, -1.0), (-1.16 + sway, -1.45), (-0.94 + sway, -1.8)]
        pen.stroke(tail, 0.17, dark(coat, 0.1), smooth=True)
        legs(pen, [(-0.42, -0.6), (0.5, -0.6), (-0.56, -0.6), (0.36, -0.6)], 0.17, coat, pose)
        pen.blob("-74,-80 -40,-108 30,-104 70,-90 50,-50 -50,-50", coat)
        for x in (-0.38, -0.12, 0.14):
            pen.stroke([(x, -1.02), (x + 0.05, -0.8)], 0.07, dark(coat, 0.3), smooth=True)
        _cat_head(pen.at(0.78, -1.2), coat)


def _cat_sitting(pen: Pen, coat: Colour, sway: float) -> None:
    pen.stroke(
        [(-0.4, -0.12), (-0.85, -0.14), (-1.0, -0.4 + sway), (-0.86, -0.62 + sway)],
        0.17,
        dark(coat, 0.1),
        smooth=True,
    )
    pen.blob("-52,-10 -50,-60 -12,-112 30,-110 42,-50 40,-6", coat)
    pen.ellipse(-0.2, -0.26, 0.34, 0.24, dark(coat, 0.08))
    for x in (0.14, 0.36):
        pen.stroke([(x, -0.7), (x + 0.04, -0.1)], 0.17, dark(coat, 0.14))
        pen.ellipse(x + 0.08, -0.07, 0.13, 0.08, pale(coat, 0.2))
    _cat_head(pen.at(0.26, -1.34), coat)


def _cat_head(pen: Pen, coat: Colour) -> None:
    for side, inner in ((-0.24, -0.22), (0.2, 0.18)):
        pen.polygon(
            [(side - 0.17, -0.16), (side + 0.02, -0.58), (side + 0.2, -0.18)], dark(coat, 0.08)
        )
        pen.polygon([(inner - 0.07, -0.22), (inner + 0.02, -0.46), (inner + 0.11, -0.22)], PINK)
    pen.ellipse(0, 0, 0.43, 0.38, coat)
    pen.ellipse(0.14, 0.14, 0.22, 0.15, pale(coat, 0.55))
    eye(pen, -0.06, -0.06, 0.065)
    eye(pen, 0.25, -0.06, 0.065)
    pen.polygon("9,6 21,6 15,13", PINK)
    for y in (0.1, 0.18):
        pen.stroke([(0.3, 0.13), (0.6, y)], 0.02, INK)
        pen.stroke([(-0.04, 0.13), (-0.34, y)], 0.02, INK)


def dog(pen: Pen, coat: Colour, pose: Pose) -> None:
    wag = 0.22 * sin(pose.phase * 1.6)
    if pose.gesture == "sit":
        pen.stroke(
            [(-0.45, -0.2), (-0.8, -0.4), (-0.9 + wag, -0.75)], 0.15, dark(coat, 0.1), smooth=True
        )
        pen.blob("-55,-8 -50,-70 0,-130 42,-130 46,-50 44,-4", coat)
        pen.ellipse(-0.18, -0.28, 0.38, 0.27, dark(coat, 0.08))
        for x in (0.18, 0.42):
            pen.stroke([(x, -0.8), (x + 0.03, -0.1)], 0.19, dark(coat, 0.14))
            pen.ellipse(x + 0.09, -0.08, 0.15, 0.09, pale(coat, 0.2))
        _dog_head(pen.at(0.34, -1.5), coat)
        return
    pen.stroke(
        [(-0.8, -1.06), (-1.12, -1.3), (-1.2 + wag, -1.66)], 0.15, dark(coat, 0.1), smooth=True
    )
    legs(pen, [(-0.5, -0.72), (0.6, -0.72), (-0.68, -0.72), (0.44, -0.72)], 0.2, coat, pose)
    pen.blob("-90,-96 -50,-124 40,-122 84,-120 72,-66 -10,-62 -70,-58", coat)
    pen.blob("-50,-120 -10,-124 2,-98 -30,-84 -56,-98", dark(coat, 0.22))
    pen.polygon("50,-120 92,-130 100,-110 60,-90", mix(coat, (200, 40, 40), 0.9))
    _dog_head(pen.at(0.9, -1.46), coat)


def _dog_head(pen: Pen, coat: Colour) -> None:
    pen.ellipse(0, 0, 0.4, 0.37, coat)
    pen.blob("10,-10 50,-4 70,6 64,24 20,30", pale(coat, 0.35))
    pen.ellipse(0.68, 0.02, 0.12, 0.1, INK)
    pen.stroke("30,20 52,22 64,16", 0.035, INK, smooth=True)
    pen.blob("-30,-32 -6,-28 -10,10 -28,34 -46,12", dark(coat, 0.32))
    eye(pen, 0.14, -0.1, 0.075)


def rabbit(pen: Pen, coat: Colour, pose: Pose) -> None:
    droop = 0.1 * sin(pose.phase) * pose.stride
    pen.ellipse(-0.62, -0.42, 0.19, 0.19, pale(coat, 0.7))
    pen.ellipse(-0.1, -0.12, 0.34, 0.11, dark(coat, 0.18))
    pen.blob("-62,-30 -50,-74 0,-86 40,-70 42,-20 0,-8 -40,-6", coat)
    pen.ellipse(-0.26, -0.32, 0.32, 0.28, dark(coat, 0.07))
    pen.ellipse(-0.12, -0.08, 0.34, 0.1, pale(coat, 0.25))
    pen.ellipse(0.36, -0.08, 0.18, 0.09, pale(coat, 0.25))
    for x, shade in ((0.3, dark(coat, 0.2)), (0.46, coat)):
        pen.ellipse(x - 0.06 + droop, -1.36, 0.1, 0.42, shade, turn=-0.22 + droop)
        pen.ellipse(x - 0.06 + droop, -1.32, 0.05, 0.3, PINK, turn=-0.22 + droop)
    pen.ellipse(0.5, -0.84, 0.31, 0.28, coat)
    pen.ellipse(0.64, -0.74, 0.15, 0.12, pale(coat, 0.5))
    eye(pen, 0.56, -0.9, 0.07)
    pen.ellipse(0.8, -0.8, 0.05, 0.04, PINK)
    for y in (-0.74, -0.66):
        pen.stroke([(0.66, -0.74), (0.96, y)], 0.018, INK)


def turtle(pen: Pen, coat: Colour, pose: Pose) -> None:
    skin: Colour = (150, 186, 92)
    beat = 0.35 * sin(pose.phase) * (0.3 + 0.7 * pose.stride)
    for x, turn in ((-0.55, 2.5 + beat), (0.42, 0.9 - beat)):
        pen.ellipse(
            x + 0.22 * cos(turn), -0.36 + 0.26 * sin(turn), 0.4, 0.14, dark(skin, 0.12), turn=turn
        )
    pen.ellipse(-0.86, -0.38, 0.16, 0.07, skin, turn=-0.2)
    pen.stroke("60,-50 98,-66", 0.24, skin)
    pen.ellipse(1.08, -0.7, 0.25, 0.21, skin)
    pen.blob("-86,-34 -60,-82 0,-108 56,-84 80,-36 0,-24", coat)
    for x, y, r in ((0.0, -0.72, 0.22), (-0.46, -0.6, 0.16), (0.42, -0.6, 0.16)):
        pen.ellipse(x, y, r, r * 0.86, dark(coat, 0.28))
    pen.stroke("-78,-36 0,-28 74,-38", 0.1, pale(coat, 0.35), smooth=True)
    eye(pen, 1.14, -0.76, 0.06)
    pen.stroke("112,-60 126,-62", 0.03, INK)
