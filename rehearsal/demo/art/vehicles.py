"""Wheels and toys: cars, buses, trains and balls."""

from __future__ import annotations

from math import cos, pi, sin

from rehearsal.demo.art.flyers import GLASS
from rehearsal.demo.art.palette import dark, mix, pale
from rehearsal.demo.art.pen import Colour, Pen
from rehearsal.demo.art.pose import Pose

TYRE: Colour = (40, 40, 46)
HUB: Colour = (206, 210, 216)
LAMP: Colour = (255, 242, 178)
BRAKE: Colour = (240, 60, 50)


def wheel(pen: Pen, x: float, radius: float, turn: float) -> None:
    pen.ellipse(x, -radius, radius, radius, TYRE)
    pen.ellipse(x, -radius, radius * 0.56, radius * 0.56, HUB)
    for spoke in range(3):
        angle = turn + spoke * pi / 3
        dx, dy = 0.5 * radius * cos(angle), 0.5 * radius * sin(angle)
        pen.stroke([(x - dx, -radius - dy), (x + dx, -radius + dy)], radius * 0.14, dark(HUB, 0.4))
    pen.ellipse(x, -radius, radius * 0.16, radius * 0.16, TYRE)


def car(pen: Pen, coat: Colour, pose: Pose) -> None:
    if pose.view != "side":
        return _car_ahead(pen, coat, pose)
    pen.blob("-95,-95 -62,-142 10,-150 56,-136 100,-90", dark(coat, 0.12))
    pen.polygon("-76,-95 -52,-133 -6,-137 -6,-95", GLASS)
    pen.polygon("6,-95 6,-137 46,-128 80,-95", GLASS)
    pen.blob("-166,-50 -160,-86 -90,-98 90,-96 150,-80 170,-50 156,-26 -150,-26", coat)
    pen.stroke("-150,-42 150,-42", 0.09, dark(coat, 0.25))
    pen.stroke("0,-90 0,-46", 0.03, dark(coat, 0.35))
    pen.stroke("14,-76 34,-76", 0.06, pale(coat, 0.6))
    pen.ellipse(1.5, -0.64, 0.13, 0.12, LAMP)
    pen.ellipse(-1.58, -0.66, 0.09, 0.12, BRAKE)
    for x in (-0.95, 0.95):
        pen.ellipse(x, -0.34, 0.44, 0.42, dark(coat, 0.5))
        wheel(pen, x, 0.36, pose.phase)
    return None


def _car_ahead(pen: Pen, coat: Colour, pose: Pose) -> None:
    lamp = LAMP if pose.view == "front" else BRAKE
    for x in (-0.7, 0.7):
        pen.rounded(x - 0.17, -0.4, x + 0.17, 0.0, 0.1, TYRE)
    pen.blob("-66,-90 -52,-146 0,-156 52,-146 66,-90", dark(coat, 0.1))
    pen.polygon("-58,-94 -46,-138 46,-138 58,-94", GLASS)
    pen.rounded(-0.98, -0.98, 0.98, -0.2, 0.24, coat)
    pen.rounded(-0.5, -0.6, 0.5, -0.36, 0.1, dark(coat, 0.55))
    pen.rounded(-0.26, -0.3, 0.26, -0.16, 0.04, (244, 244, 240))
    for x in (-0.74, 0.74):
        pen.ellipse(x, -0.66, 0.19, 0.16, pale(lamp, 0.5))
        pen.ellipse(x, -0.66, 0.14, 0.11, lamp)


def bus(pen: Pen, coat: Colour, pose: Pose) -> None:
    if pose.view != "side":
        return _bus_ahead(pen, coat, pose)
    pen.rounded(-2.3, -2.2, 2.3, -0.3, 0.26, coat)
    pen.rounded(-2.3, -0.86, 2.3, -0.3, 0.14, dark(coat, 0.2))
    pen.stroke("-224,-94 224,-94", 0.09, pale(coat, 0.7))
    for x in (-2.08, -1.34, -0.6, 0.14):
        pen.rounded(x, -1.9, x + 0.62, -1.16, 0.1, GLASS)
    pen.rounded(0.92, -1.94, 1.46, -0.44, 0.08, dark(GLASS, 0.2))
    pen.stroke("119,-190 119,-48", 0.05, dark(coat, 0.3))
    pen.rounded(1.62, -1.94, 2.26, -1.1, 0.12, GLASS)
    pen.ellipse(2.2, -0.62, 0.1, 0.13, LAMP)
    pen.ellipse(-2.24, -0.66, 0.07, 0.14, BRAKE)
    for x in (-1.4, 1.5):
        pen.ellipse(x, -0.36, 0.5, 0.46, dark(coat, 0.5))
        wheel(pen, x, 0.4, pose.phase)
    return None


def _bus_ahead(pen: Pen, coat: Colour, pose: Pose) -> None:
    lamp = LAMP if pose.view == "front" else BRAKE
    for x in (-0.8, 0.8):
        pen.rounded(x - 0.18, -0.5, x + 0.18, 0.0, 0.1, TYRE)
    pen.rounded(-1.1, -2.5, 1.1, -0.24, 0.26, coat)
    pen.rounded(-0.92, -2.06, 0.92, -1.1, 0.14, GLASS)
    pen.rounded(-0.6, -2.42, 0.6, -2.16, 0.06, dark(coat, 0.6))
    pen.stroke("-102,-94 102,-94", 0.09, pale(coat, 0.7))
    for x in (-0.8, 0.8):
        pen.ellipse(x, -0.62, 0.18, 0.16, pale(lamp, 0.5))
        pen.ellipse(x, -0.62, 0.13, 0.11, lamp)
    pen.rounded(-0.4, -0.7, 0.4, -0.42, 0.08, dark(coat, 0.5))


def train(pen: Pen, coat: Colour, pose: Pose) -> None:
    _smoke(pen.at(3.7, -2.4), pose)
    for left in (-4.6, -1.75):
        _carriage(pen.at(left, 0.0), coat, pose)
    _engine(pen.at(1.15, 0.0), coat, pose)


def _smoke(pen: Pen, pose: Pose) -> None:
    """Puffs that drift back and grow; a standing engine smokes straight up."""
    ago = pose.phase / 6 % 1
    for puff in range(5, -1, -1):
        age = puff + ago
        grey = mix((250, 250, 250), (176, 178, 186), age / 6)
        back = age * (0.25 + 0.75 * pose.stride)
        pen.ellipse(-back, -0.34 * age**0.8, 0.16 + 0.08 * age, 0.14 + 0.07 * age, grey)


def _carriage(pen: Pen, coat: Colour, pose: Pose) -> None:
    pen.stroke("250,-50 300,-50", 0.1, TYRE)
    pen.rounded(0.0, -1.9, 2.6, -0.42, 0.14, dark(coat, 0.08))
    pen.rounded(-0.08, -2.0, 2.68, -1.78, 0.1, dark(coat, 0.45))
    for x in (0.22, 1.0, 1.78):
        pen.rounded(x, -1.6, x + 0.58, -1.02, 0.08, LAMP)
    pen.stroke("6,-74 254,-74", 0.08, pale(coat, 0.6))
    for x in (0.5, 2.1):
        wheel(pen, x, 0.27, pose.phase)


def _engine(pen: Pen, coat: Colour, pose: Pose) -> None:
    pen.rounded(0.0, -2.3, 1.2, -0.42, 0.1, coat)
    pen.rounded(-0.12, -2.46, 1.32, -2.2, 0.1, dark(coat, 0.45))
    pen.rounded(0.26, -2.0, 0.94, -1.4, 0.08, LAMP)
    pen.rounded(1.0, -1.6, 3.1, -0.42, 0.3, coat)
    pen.polygon("230,-150 220,-230 290,-230 274,-150", dark(coat, 0.45))
    pen.ellipse(1.7, -1.6, 0.24, 0.22, pale(coat, 0.3))
    pen.ellipse(3.06, -1.2, 0.16, 0.18, LAMP)
    pen.polygon("290,-50 350,-6 260,-6", dark(coat, 0.55))
    pen.stroke("20,-50 300,-50", 0.16, dark(coat, 0.5))
    for x, radius in ((0.55, 0.42), (1.5, 0.34), (2.3, 0.34)):
        wheel(pen, x, radius, pose.phase)
    beat = 0.16 * cos(pose.phase)
    pen.stroke([(0.55 + beat, -0.42), (2.3 + beat, -0.34)], 0.08, HUB)


def ball(pen: Pen, coat: Colour, pose: Pose) -> None:
    """A ball with a pale band, so that one sees it turn."""
    pen.ellipse(0, -0.6, 0.6, 0.6, coat)
    turning = pen.at(0, -0.6, turn=pose.phase)
    turning.blob("-58,-10 -20,-22 20,-22 58,-10 56,14 20,4 -20,4 -56,14", pale(coat, 0.72))
    turning.ellipse(0, 0.38, 0.12, 0.09, pale(coat, 0.72))
    pen.ellipse(-0.2, -0.86, 0.13, 0.09, (255, 255, 255), turn=-0.6)
