"""People: a girl in a dress and a man in a coat, from the side, the front and the back."""

from __future__ import annotations

from math import cos, sin

from rehearsal.demo.art.animals import INK
from rehearsal.demo.art.palette import dark, pale
from rehearsal.demo.art.pen import Colour, Pen, Point
from rehearsal.demo.art.pose import Pose

SKIN: Colour = (242, 190, 150)
HAIR: Colour = (96, 56, 34)
TROUSERS: Colour = (58, 66, 96)
SHOE: Colour = (60, 42, 40)


def girl(pen: Pen, coat: Colour, pose: Pose) -> None:
    body = pen.at(0, -0.05 * abs(sin(pose.phase)) * pose.stride)
    _legs(pen, 0.9, 0.17, SKIN, pose)
    if pose.view == "side":
        body.blob(
            [(-0.1, -2.5), (-0.5, -2.56), (-0.66, -2.2), (-0.56, -1.9 + 0.1 * sin(pose.phase))],
            HAIR,
        )
    _arm(body, (-0.2, -1.66), coat, pose, near=False)
    body.blob("-20,-180 20,-180 36,-120 62,-72 0,-62 -62,-72 -36,-120", coat)
    body.stroke("-56,-74 0,-66 56,-74", 0.08, pale(coat, 0.55), smooth=True)
    body.stroke("-30,-126 30,-126", 0.1, dark(coat, 0.3))
    _arm(body, (0.14, -1.66), coat, pose, near=True)
    _head(body.at(0, -2.2), pose)
    _long_hair(body.at(0, -2.2), pose)


def man(pen: Pen, coat: Colour, pose: Pose) -> None:
    body = pen.at(0, -0.05 * abs(sin(pose.phase)) * pose.stride)
    _legs(pen, 1.1, 0.25, TROUSERS, pose)
    _arm(body, (-0.28, -1.92), coat, pose, near=False)
    body.blob("-36,-206 36,-206 44,-150 42,-86 -42,-86 -44,-150", coat)
    if pose.view != "back":
        body.stroke("6,-200 6,-94", 0.05, dark(coat, 0.35))
    _arm(body, (0.26, -1.92), coat, pose, near=True)
    head = body.at(0, -2.46)
    _head(head, pose)
    head.blob(
        [(-0.42, -0.06), (-0.4, -0.26), (0.4, -0.26), (0.42, -0.06), (0.0, -0.16)]
        if pose.view != "back"
        else [(-0.4, 0.2), (-0.42, -0.2), (0.42, -0.2), (0.4, 0.2), (0.0, 0.28)],
        HAIR,
    )
    head.rounded(-0.34, -0.62, 0.34, -0.2, 0.12, (70, 62, 66))
    head.rounded(-0.54, -0.28, 0.58, -0.16, 0.06, (52, 46, 50))


def _legs(pen: Pen, length: float, width: float, fill: Colour, pose: Pose) -> None:
    apart = 0.18 if pose.view == "side" and pose.stride > 0.2 else 0.2
    for side in (-1, 1):
        beat = pose.phase + (0.0 if side < 0 else 3.14)
        swing = 0.34 * sin(beat) * pose.stride if pose.view == "side" else 0.0
        lift = 0.16 * max(0.0, cos(beat)) * pose.stride
        hip, foot = (side * apart * 0.6, -length), (side * apart * 0.7 + swing, -0.1 - lift)
        knee = ((hip[0] + foot[0]) / 2 + 0.06 * pose.stride, (hip[1] + foot[1]) / 2)
        shade = dark(fill, 0.22) if side < 0 else fill
        pen.stroke([hip, knee, foot], width, shade, smooth=True)
        toe = 0.1 if pose.view == "side" else 0.0
        pen.ellipse(foot[0] + toe, foot[1] + 0.02, 0.2, 0.11, SHOE)


def _arm(pen: Pen, shoulder: Point, coat: Colour, pose: Pose, *, near: bool) -> None:
    x, y = shoulder
    if pose.gesture == "wave" and near:
        hand = (x + 0.62 + 0.2 * sin(pose.phase * 1.3), y - 0.66)
        elbow = (x + 0.46, y - 0.02)
    else:
        swing = (0.34 if near else -0.34) * sin(pose.phase) * pose.stride
        side = 0.3 if near else -0.3
        reach = swing if pose.view == "side" and pose.stride > 0.2 else side + 0.1 * swing
        elbow, hand = (x + reach * 0.6, y + 0.42), (x + reach * 1.1, y + 0.8)
    shade = dark(coat, 0.2 if near else 0.36)
    pen.stroke([(x, y), elbow, hand], 0.2, shade, smooth=True)
    pen.ellipse(hand[0], hand[1], 0.12, 0.12, SKIN)


def _head(pen: Pen, pose: Pose) -> None:
    pen.stroke("0,20 0,44", 0.18, dark(SKIN, 0.12))
    pen.ellipse(0, 0, 0.38, 0.4, SKIN)
    if pose.view == "back":
        return
    look = 0.12 if pose.view == "side" else 0.0
    for x in (-0.13, 0.15):
        pen.ellipse(x + look, -0.02, 0.045, 0.065, INK)
        pen.ellipse(x * 1.6 + look * 0.8, 0.12, 0.07, 0.045, (244, 156, 140))
    pen.stroke(
        [(-0.08 + look, 0.17), (0.01 + look, 0.21), (0.1 + look, 0.17)],
        0.035,
        (168, 70, 60),
        smooth=True,
    )
    if pose.view == "side":
        pen.ellipse(0.38, 0.06, 0.06, 0.05, SKIN)


def _long_hair(pen: Pen, pose: Pose) -> None:
    if pose.view == "back":
        pen.blob("-44,-10 -20,-48 20,-48 44,-10 36,50 -36,50", HAIR)
        return
    pen.blob("-44,6 -38,-34 0,-50 38,-34 42,-4 20,-22 -16,-22 -30,2 -36,26", HAIR)
    if pose.view == "front":
        for side in (-1, 1):
            pen.blob(
                [(side * 0.36, -0.2), (side * 0.6, 0.0), (side * 0.56, 0.44), (side * 0.4, 0.2)],
                HAIR,
            )
