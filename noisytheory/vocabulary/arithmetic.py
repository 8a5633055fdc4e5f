"""Arithmetic of compiled loops whose bits follow from the source alone.

With leave to reassociate or to contract, LLVM rounds the copies of a function otherwise in every
function that calls it, and which copy runs depends on what was read from a cache: a process that
compiles and one that reads what another has compiled would then differ in the last bit. So compiled
loops have no such leave, and say themselves where one rounding is enough and in which order is
summed.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["LANES", "ask_for", "inner_product", "multiply_add"]

LANES = 32
"""Sums that are followed side by side: four registers of eight doubles."""


def _code(function: Any) -> Any:
    """Code by hand, for what Python has no words for."""
    return intrinsic(function)


def _called(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    """What LLVM itself calls so, with this result."""
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(
        cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, kind, f"llvm.{name}.{_named(result)}"
        ),
        args,
    )


def _named(kind: Any) -> str:
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{_named(kind.element)}"
    return str(kind.intrinsic_name)


def _fused(builder: Any, three: list[Any]) -> Any:
    """In one rounding where the processor has it, else in two: never one here and two there."""
    return _called(builder, "fmuladd", three[0].type, three)


@_code
def multiply_add(typing_context: Any, one: Any, other: Any, added: Any) -> Any:
    """``one * other + added`` in the widest type of the three, vectorised as a sum is.

    Examples
    --------
    >>> import numba
    >>> numba.njit(lambda x: multiply_add(x, x, 1.0))(3.0)
    10.0
    """
    kind = typing_context.unify_types(one, other, added)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _fused(builder, [
            context.cast(builder, value, given, kind)
            for value, given in zip(args, signature.args, strict=True)
        ])

    return kind(one, other, added), code


@_code
def ask_for(typing_context: Any, row: Any, place: Any) -> Any:
    """Have the memory around an entry of a row brought near while other work is done.

    Examples
    --------
    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda row: ask_for(row, 3))(np.arange(5))
    """
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        where = builder.bitcast(builder.gep(array.data, [args[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [where.type, number, number, number])
        # To read, soon, data and no code.
        builder.call(
            cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
                builder.module, kind, "llvm.prefetch.p0i8"
            ),
            [where, number(0), number(3), number(1)],
        )
        return context.get_dummy_value()

    return types.none(row, types.intp), code


@_code
def inner_product(typing_context: Any, left: Any, right: Any) -> Any:
    """The sum of products of two rows, as long as the left one, in the wider of their types.

    Every sum of `LANES` takes one product in so many, and in the end they are added by halves:
    this order is part of what is meant.

    Examples
    --------
    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda x, y: inner_product(x, y))(np.arange(50), np.ones(50))
    1225.0
    """
    if not (left.layout == right.layout == "C" and left.ndim == right.ndim == 1):
        raise TypeError("rows must lie in one piece")
    kind = typing_context.unify_types(left.dtype, right.dtype)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = context.get_value_type(kind)
        wide, count = ir.VectorType(number, LANES), ir.IntType(64)
        rows = [
            (context.make_array(given)(context, builder, value), given.dtype)
            for value, given in zip(args, signature.args, strict=True)
        ]
        size = builder.extract_value(rows[0][0].shape, 0)
        sums = cgutils.alloca_once_value(builder, ir.Constant(wide, None))  # type: ignore[no-untyped-call]

        def converted(values: Any, given: Any) -> Any:
            if isinstance(given, types.Integer):
                signed = given in types.signed_domain
                return (builder.sitofp if signed else builder.uitofp)(values, wide)
            return values if given == kind else builder.fpext(values, wide)

        def taken(start: Any, mask: Any) -> None:
            """Add the products of so many from there on."""
            values = []
            for array, given in rows:
                own = context.get_data_type(given)
                some, size = ir.VectorType(own, LANES), context.get_abi_sizeof(own)
                place = builder.bitcast(builder.gep(array.data, [start]), some.as_pointer())
                found = builder.load(place, align=size) if mask is None else _called(
                    builder, "masked.load", some,
                    [place, ir.IntType(32)(size), mask, ir.Constant(some, None)],
                )
                values.append(converted(found, given))
            builder.store(_fused(builder, [*values, builder.load(sums)]), sums)

        full = builder.and_(size, ir.Constant(count, -LANES))
        steps = cgutils.for_range_slice(
            builder, ir.Constant(count, 0), full, ir.Constant(count, LANES), count
        )
        with steps as (start, _):
            taken(start, None)
        # Of what is left over the others are 0, and add nothing.
        rest, lanes = builder.sub(size, full), ir.VectorType(count, LANES)
        with builder.if_then(builder.icmp_signed(">", rest, ir.Constant(count, 0))):
            spread = builder.shuffle_vector(
                builder.insert_element(ir.Constant(lanes, None), rest, ir.IntType(32)(0)),
                ir.Constant(lanes, None), ir.Constant(ir.VectorType(ir.IntType(32), LANES), None),
            )
            order = ir.Constant(lanes, [*range(LANES)])
            taken(full, builder.icmp_signed("<", order, spread))
        found, width = builder.load(sums), LANES
        while width > 1:
            width //= 2
            halves = [
                builder.shuffle_vector(found, found, ir.Constant(
                    ir.VectorType(ir.IntType(32), width), [*range(first, first + width)]
                ))
                for first in (0, width)
            ]
            found = builder.fadd(*halves)
        return builder.extract_element(found, ir.IntType(32)(0))

    return kind(left, right), code
