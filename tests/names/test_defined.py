"""Classes and functions that PyFlink's modules define beside their lists of public names: here, or told why not."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

import datastream.compat as compat
from datastream.compat.not_here import NOT_HERE
from tests.names.differences import PAGE, listed
from tests.names.here import ABSENT, found
from tests.names.reference import SURFACE

DEFINED = {
    module: [name for name in (*content["classes"], *content["functions"]) if "." not in name]
    for module, content in SURFACE.items()
}


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


def test_types_by_pyflinks_keywords() -> None:
    from pyflink.common.typeinfo import BasicTypeInfo, ListTypeInfo, LocalTimeTypeInfo, MapTypeInfo, Types

    assert BasicTypeInfo.BIG_DEC_TYPE_INFO() == Types.BIG_DEC()
    assert ListTypeInfo(element_type=Types.INT()) == Types.LIST(Types.INT())
    assert MapTypeInfo(key_type_info=Types.INT(), value_type_info=Types.CHAR()) == Types.MAP(Types.INT(), Types.CHAR())
    assert LocalTimeTypeInfo(time_type=LocalTimeTypeInfo.TimeType.LOCAL_DATE) == Types.LOCAL_DATE()


def test_values_of_types_that_no_table_has() -> None:
    from pyflink.table import DataTypes
    from pyflink.table.types import RowField, ZonedTimestampType

    field, zoned = RowField("a", DataTypes.DATE()), ZonedTimestampType(3)
    assert (field.need_conversion(), field.to_sql_type(dt.date(1970, 1, 3)), field.from_sql_type(2)) == (
        *(True, 2),
        dt.date(1970, 1, 3),
    )
    moment = dt.datetime(2024, 1, 2, 3, 4, 5, 6, dt.timezone(dt.timedelta(hours=2)))
    assert zoned.to_sql_type(moment) == (1704164645000006, 7200)
    assert zoned.from_sql_type((1704164645000006, 7200)).isoformat() == moment.isoformat()
    assert DataTypes.INT().bridged_to("int") == DataTypes.INT()


def test_what_is_wrong_with_a_catalog_has_its_text() -> None:
    from pyflink.util.exceptions import TableException

    assert (TableException(stack_trace="x").stack_trace, str(TableException("x"))) == ("x", "x")
