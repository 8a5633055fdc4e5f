"""The finished blocks of one claim, in its journal or compacted."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.trial.store import chunks
from noisytheory.trial.store.compacted import DIGESTS, Compacted, write_blocks
from noisytheory.trial.store.errors import StoreError, reading
from noisytheory.trial.store.journal import Journal, Layout, Where, encoded
from noisytheory.trial.store.root import Root

if TYPE_CHECKING:
    import xarray as xr


Small = tuple[tuple[Hashable, ...], np.ndarray, Mapping[str, Any]]
"""Dimensions, values and attributes of a variable that is not of the blocks."""

_DIGEST_TOLD = {"long_name": "CRC-32C of the block and its complement, 0 where none was drawn"}


class ClaimBlocks:
    """The finished blocks of one claim; made by `Store.claim`.

    Not for several threads at once: the parent process of an audit writes, its workers return
    arrays.
    """

    def __init__(
        self, root: Root, group: str, layout: Layout, journal: Journal, compacted: Compacted
    ) -> None:
        self.layout = layout
        self._root, self._group = root, group
        self._journal, self._compacted = journal, compacted
        with root.writing():
            journal.scan()
            if compacted.whole and journal.blocks.keys() <= compacted.blocks():
                # Death came between the compaction and the end of the journal.
                journal.remove()

    def __repr__(self) -> str:
        state = "finished" if self.finished else "open"
        return f"<ClaimBlocks {self.layout.claim}: {len(self)} blocks, {state}>"

    @property
    def finished(self) -> bool:
        """Whether all blocks are compacted and everything in the group is as it was written."""
        return self._whole or self.layout.claim in self._root.postponed

    @property
    def _whole(self) -> bool:
        return self._compacted.whole and not self._journal.blocks

    @property
    def damaged(self) -> int:
        """How many stored blocks did not match their digest when the claim was opened."""
        return self._journal.damaged + self._compacted.damaged

    def __len__(self) -> int:
        return len(self._blocks())

    def __contains__(self, where: Where) -> bool:
        return where in self._journal.blocks or where in self._compacted

    def get(self, cell: int, block: int) -> dict[str, np.ndarray]:
        """Return a finished block, bit for bit as it was put.

        Parameters
        ----------
        cell, block : int
            Which one.

        Returns
        -------
        dict of str to ndarray, shape (rows,)

        Raises
        ------
        KeyError
            If the block is not finished.
        StoreError
            If it cannot be read, or is no longer what was written.
        """
        with reading(self._root.location):
            return self.layout.arrays(self.layout.split(self._frame((cell, block)))[0])

    def put(self, cell: int, block: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Append a block to the journal; once this returns, death of the process cannot lose it.

        Parameters
        ----------
        cell : int
            In ``range(cells)``.
        block : int
            Non-negative.
        arrays : mapping of str to ndarray, shape (rows,)
            The claim's variables, of the declared types.

        Raises
        ------
        ValueError
            If names, types or shapes are not the declared ones, or if the block is finished and
            was different.
        StoreError
            If the block cannot be written. What was put before is whole.
        """
        layout = self.layout
        self._root.check_writable()
        if not 0 <= cell < layout.cells or block < 0:
            raise ValueError(f"no block {block} of cell {cell}: the claim has {layout.cells} cells")
        where, frame = (cell, block), layout.frame(cell, block, layout.payload(arrays))
        if where in self:
            with reading(self._root.location):
                same = self._frame(where) == frame
            if not same:
                raise ValueError(f"block {block} of cell {cell} is finished, with other numbers")
            return
        self._root.postponed.pop(layout.claim, None)
        with self._root.writing():
            self._journal.append(where, frame)

    def finish(
        self,
        dataset: xr.Dataset,
        dims: Sequence[str] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Compact the claim: all of its blocks and `dataset` become one Zarr group.

        The variables of the blocks get the dimensions ``(*dims, "chain", "draw")``: block ``b`` of
        a cell is chain ``b``. A block that was not drawn is NaN (integers: the lowest one, masked
        by ``_FillValue``; booleans: False), and 0 in ``block_digest``. Without any block the group
        holds `dataset` alone. Nothing is written if the group is already what it would become.

        Parameters
        ----------
        dataset : Dataset
            Everything else about the claim: numbers, booleans or text; attributes are JSON.
        dims : sequence of str, optional
            The cell's dimensions, slowest first (cell index in C order). By default those that all
            variables of `dataset` begin with, scalars apart, up to ``delta``.
        attributes : mapping of str to mapping, optional
            Attributes of the blocks' variables, such as ``long_name`` and ``units``.

        Raises
        ------
        ValueError
            If `dataset` does not fit the claim's cells or holds what cannot be stored.
        StoreError
            If it cannot be written. The journal then still has every block.
        """
        root, layout = self._root, self.layout
        root.check_writable()
        drawn = self._block_arrays(dataset, dims, attributes or {})
        small: dict[str, Small] = {
            str(name): (known.dims, chunks.storable(str(name), known.values), known.attrs)
            for name, known in dataset.variables.items()
        }
        auxiliary = [str(name) for name in dataset.coords if name not in dataset.dims]
        about = {str(name): value for name, value in dataset.attrs.items()}
        about |= layout.run
        about |= {"claim": layout.claim, "fingerprint": layout.described["fingerprint"]}
        own = json.loads(encoded(about))
        root.postponed.pop(layout.claim, None)
        if root.temporary:
            # Nobody else opens it: what is never read is never put together.
            root.postponed[layout.claim] = lambda: self._held(own, auxiliary, small, drawn)
            self._journal.close()
        else:
            self._compact(own, auxiliary, small, drawn)

    def close(self) -> None:
        """Let go of the journal; the blocks in it stay."""
        self._journal.close()

    def _held(
        self, attributes: dict[str, Any], auxiliary: list[str], small: dict[str, Small],
        drawn: list[chunks.Array],
    ) -> xr.Dataset | None:
        """Put the claim's dataset together as Zarr would give it, if memory has all blocks."""
        import xarray as xr

        if not getattr(self._journal, "in_memory", False):
            self._compact(attributes, auxiliary, small, drawn)
            return None
        layout, digests = self.layout, self._digests()
        values = {
            array.name: np.full(
                (*digests.shape, layout.rows), chunks.fill_of(layout.variables[array.name])
            )
            for array in drawn
        }
        for where in self._blocks() if drawn else ():
            payload, digests[where] = layout.split(self._frame(where))
            for name, part in layout.arrays(payload).items():
                values[name][where] = part
        whole = bool(np.all(digests))
        variables: dict[str, Any] = dict(small)
        for array in drawn:
            dims, shape = (array.metadata[key] for key in ("dimension_names", "shape"))
            data = values[array.name].reshape(shape)
            if not whole and data.dtype.kind in "iu":
                missing = np.broadcast_to(digests.reshape(shape[:-1])[..., None] == 0, shape)
                data = np.where(missing, np.nan, data)
            kept = {k: v for k, v in array.metadata["attributes"].items() if k != "_FillValue"}
            variables[array.name] = (dims, data, kept)
        if drawn:
            *dims, _ = drawn[0].metadata["dimension_names"]
            *shape, _ = drawn[0].metadata["shape"]
            variables[DIGESTS] = (dims, digests.reshape(shape), _DIGEST_TOLD)
        return xr.Dataset(variables, attrs=attributes).set_coords(auxiliary)

    def _compact(
        self, attributes: dict[str, Any], auxiliary: list[str], small: dict[str, Small],
        drawn: list[chunks.Array],
    ) -> None:
        root, group, layout, journal = self._root, self._group, self.layout, self._journal
        if auxiliary:
            attributes = {**attributes, "coordinates": " ".join(auxiliary)}
        described = [chunks.small_array(name, *known) for name, known in small.items()]
        if self._whole:
            arrays = _with_digests(described, drawn, self._compacted.digests)
            if chunks.marker_of(attributes, arrays) == self._compacted.marker:
                return
        digests = self._digests()
        with root.writing():
            # Before a compacted claim is written anew, the journal gets its blocks back.
            for where in sorted(self._blocks() - set(journal.blocks)):
                journal.append(where, self._frame(where))
            with root.replacing(group) as create:
                write_blocks(create, drawn, layout, journal.blocks, self._frame, digests)
                arrays = _with_digests(described, drawn, digests)
                for array in arrays:
                    with create(f"{array.name}/zarr.json") as file:
                        file.write(array.document)
                    if array.chunk:
                        with create(array.key) as file:
                            file.write(array.chunk)
                attributes["complete"] = marker = chunks.marker_of(attributes, arrays)
                with create("zarr.json") as file:
                    file.write(chunks.group_document(attributes, chunks.members(arrays)))
            root.show(group, layout.claim, chunks.branch(group, attributes, arrays))
            self._compacted = Compacted(root.place, group, layout, drawn, digests, marker)
            journal.remove()

    def _digests(self) -> np.ndarray:
        """Digests of the blocks, none of which is known yet."""
        chains = max((block + 1 for _, block in self._blocks()), default=0)
        return np.zeros((self.layout.cells, chains), dtype="<u8")

    def _blocks(self) -> set[Where]:
        return set(self._journal.blocks) | self._compacted.blocks()

    def _frame(self, where: Where) -> bytes:
        """Return a block as the journal has it, verified."""
        journal = self._journal
        if where in journal.blocks:
            frame = journal.read(where)
            if self.layout.verified(frame) == where:
                return frame
            del journal.blocks[where]
            journal.damaged += 1
        elif where not in self._compacted:
            raise KeyError(f"block {where[1]} of cell {where[0]} is not finished")
        elif (stored := self._compacted.frame(where)) is not None:
            return stored
        raise StoreError(
            f"block {where[1]} of cell {where[0]} of {self.layout.claim} in the store "
            f"{self._root.location} is damaged; run again to draw it anew"
        )

    def _block_arrays(
        self, dataset: xr.Dataset, dims: Sequence[str] | None,
        attributes: Mapping[str, Mapping[str, Any]],
    ) -> list[chunks.Array]:
        """Describe the variables of the blocks, if they and the dataset fit into one group."""
        layout = self.layout
        names = {str(name) for name in dataset.variables}
        for name in names | set(layout.variables):
            if "/" in name or name.startswith(".") or name in ("zarr.json", DIGESTS):
                raise ValueError(f"a variable cannot be named {name!r}")
        if twice := names & set(layout.variables):
            raise ValueError(f"{sorted(twice)} are variables of the blocks and of the dataset")
        if unknown := set(attributes) - set(layout.variables):
            raise ValueError(f"attributes for {sorted(unknown)}, which the blocks do not have")
        chains = self._digests().shape[1]
        if not chains or not layout.variables:
            return []
        dims = _cell_dims(dataset) if dims is None else list(dims)
        shape = [dataset.sizes[dim] for dim in dims]
        if int(np.prod(shape)) != layout.cells:
            raise ValueError(
                f"the claim has {layout.cells} cells, the dimensions "
                f"{dict(zip(dims, shape, strict=True))} have {int(np.prod(shape))}"
            )
        for dim, size in (("chain", chains), ("draw", layout.rows)):
            if dataset.sizes.get(dim, size) != size:
                found = dataset.sizes[dim]
                raise ValueError(f"{dim} is {size} in the blocks, {found} in the dataset")
        whole = len(self._blocks()) == layout.cells * chains
        dims, shape = [*dims, "chain", "draw"], [*shape, chains, layout.rows]
        return [
            chunks.block_array(name, dims, shape, dtype, attributes.get(name, {}), whole=whole)
            for name, dtype in layout.variables.items()
        ]


def _with_digests(
    small: list[chunks.Array], drawn: list[chunks.Array], digests: np.ndarray
) -> list[chunks.Array]:
    if not drawn:
        return small
    dims, shape = (drawn[0].metadata[key][:-1] for key in ("dimension_names", "shape"))
    stored = chunks.small_array(DIGESTS, dims, digests.reshape(shape), _DIGEST_TOLD)
    return [*small, *drawn, stored]


def _cell_dims(dataset: xr.Dataset) -> list[str]:
    """Read the cell's dimensions off the variables: but for scalars all begin with them."""
    names = [name for name in dataset.variables if name not in dataset.coords]
    orders = [dims for name in names if (dims := dataset.variables[name].dims)]
    shared = []
    for dims in zip(*orders, strict=False):
        if len(set(dims)) > 1 or (dims[0] == "delta" and dataset.attrs.get("kind") == "tail"):
            break
        shared.append(str(dims[0]))
    return shared
