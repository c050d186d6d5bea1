"""Classes and functions that PyFlink's modules define beside their lists of public names: here, or told why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import datastream.compat as compat
from datastream.compat.not_here import NOT_HERE
from tests.names.differences import PAGE, listed
from tests.names.here import ABSENT, found
from tests.names.reference import DATA

DEFINED: dict[str, list[str]] = json.loads((DATA / "pyflink_defined.json").read_text())


@pytest.fixture(autouse=True)
def aliases():
    was = compat.installed()
    assert compat.install()
    yield
    if not was:
        compat.uninstall()


@pytest.mark.parametrize("module", DEFINED)
def test_what_a_module_defines_is_here_or_has_a_reason(module: str) -> None:
    if module.rpartition(".")[2] in listed("later"):
        return
    absent = {name for name in DEFINED[module] if found(module, name) is ABSENT}
    assert absent - {*listed("absent")} == set(NOT_HERE.get(module, ()))


@pytest.mark.parametrize("module", NOT_HERE)
def test_the_reason_is_told_by_import_and_page(module: str) -> None:
    page = Path(PAGE).read_text()
    for name, instead in NOT_HERE[module].items():
        with pytest.raises(ImportError) as caught:
            exec(f"from {module} import {name}")
        assert str(caught.value).endswith(instead)
        assert f"`{name}`" in page


def test_what_stands_beside_the_public_names_works() -> None:
    from io import BytesIO

    from pyflink.common.serializer import VoidNamespaceSerializer
    from pyflink.datastream.connectors.file_system import DefaultRollingPolicy, RollingPolicy
    from pyflink.table import DataTypes
    from pyflink.table.types import AtomicType, FractionalType, IntegralType, NumericType

    stream = BytesIO()
    VoidNamespaceSerializer().serialize(b"", stream)
    assert stream.getvalue() == b"" == VoidNamespaceSerializer().deserialize(stream)
    assert isinstance(RollingPolicy.default_rolling_policy(), DefaultRollingPolicy)
    families = (AtomicType, NumericType, IntegralType, FractionalType)
    assert [isinstance(DataTypes.INT(), each) for each in families] == [True, True, True, False]
    assert [isinstance(DataTypes.DECIMAL(3, 1), each) for each in families] == [True, True, False, True]
    assert [isinstance(DataTypes.ROW([]), each) for each in families] == [False] * 4


def test_a_catalog_of_a_database_is_refused() -> None:
    from pyflink.table.catalog import JdbcCatalog

    from datastream.errors import UnsupportedOperation

    with pytest.raises(UnsupportedOperation, match="JdbcSource and JdbcSink"):
        JdbcCatalog("c", "d", "u", "p", "jdbc:postgresql://h/")
