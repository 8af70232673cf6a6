"""The few distribution functions that ratings need: normal, Student t, beta, chi square. Standard library
only.

Continued fractions and series after Numerical Recipes 6.2 and 6.4 (Lentz's method); 1e-12 or better.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Z95 = 1.959963984540054
"""97.5 % point of the normal distribution."""
_TINY = 1e-300
_EPS = 1e-15


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def normal_quantile(p: float) -> float:
    """Inverse of `normal_cdf` for 0 < p < 1."""
    return _invert(normal_cdf, p)


def beta_cdf(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b): P(X <= x) for X ~ Beta(a, b)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def t_cdf(x: float, dof: float) -> float:
    """P(T <= x) for Student's t."""
    square = x * x
    if square < dof:
        # Near the middle the tail is 1/2 less something small: ask for the small part.
        centre = 0.5 * beta_cdf(0.5, 0.5 * dof, square / (dof + square))
        return 0.5 + math.copysign(centre, x)
    tail = 0.5 * beta_cdf(0.5 * dof, 0.5, dof / (dof + square))
    return 1.0 - tail if x > 0 else tail


def t_quantile(p: float, dof: float) -> float:
    """Inverse of `t_cdf` for 0 < p < 1: Newton's method from the normal quantile where t is near it."""
    if dof >= 5.0 and 0.001 <= p <= 0.999:
        z = _invert(normal_cdf, p)
        x = z + (z**3 + z) / (4.0 * dof)
        scale = math.exp(math.lgamma(0.5 * (dof + 1.0)) - math.lgamma(0.5 * dof)) / math.sqrt(dof * math.pi)
        for _ in range(20):
            step = (t_cdf(x, dof) - p) / (scale * math.exp(-0.5 * (dof + 1.0) * math.log1p(x * x / dof)))
            x -= step
            if abs(step) < 1e-13 * (1.0 + abs(x)):
                return x
    return _invert(lambda x: t_cdf(x, dof), p)


def chi2_tail(x: float, dof: float) -> float:
    """P(X > x) for chi square with `dof` degrees of freedom."""
    if x <= 0.0 or dof <= 0.0:
        return 1.0
    a, z = 0.5 * dof, 0.5 * x
    front = math.exp(-z + a * math.log(z) - math.lgamma(a))
    if z < a + 1.0:
        term = total = 1.0 / a
        k = a
        while abs(term) > abs(total) * _EPS:
            k += 1.0
            term *= z / k
            total += term
        return max(0.0, 1.0 - total * front)
    b = z + 1.0 - a
    c, d = 1.0 / _TINY, 1.0 / b
    h = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2.0
        d = 1.0 / _away(an * d + b)
        c = _away(b + an / c)
        h *= d * c
        if abs(d * c - 1.0) < _EPS:
            break
    return front * h


def _beta_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    h = d
    for m in range(1, 10_000):
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away(1.0 + top * d)
            c = _away(1.0 + top / c)
            h *= d * c
        if abs(d * c - 1.0) < _EPS:
            break
    return h


def _away(x: float) -> float:
    """Keep a denominator away from zero."""
    return x if abs(x) > _TINY else _TINY


def _invert(cdf: Callable[[float], float], p: float) -> float:
    if not 0.0 < p < 1.0:
        raise ValueError(f"a quantile needs a probability between 0 and 1, not {p}")
    if p > 0.5:
        low, high = 0.0, 1.0
        while cdf(high) < p and high < 1e12:
            low, high = high, high * 2.0
    else:
        low, high = -1.0, 0.0
        while cdf(low) > p and low > -1e12:
            low, high = low * 2.0, low
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if cdf(middle) < p:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
