"""`Model`: a model in the Table API."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from datastream.errors import ValidationError, cut
from datastream.table.api.model_descriptor import ModelDescriptor
from datastream.table.api.query import query_of
from datastream.table.api.table import Table
from datastream.table.dsl.base import literal
from datastream.table.execution.session import session_of
from datastream.table.plan.errors import unknown
from datastream.table.plan.expressions import Call, Descriptor
from datastream.table.plan.models import ModelShape
from datastream.table.planner.predictions import NAME
from datastream.table.planner.process_arguments import Given, GivenModel, GivenTable
from datastream.table.planner.process_tables import process_table

if TYPE_CHECKING:
    from datastream.table.api.table_environment import TableEnvironment


class Model:
    """A model that tables are given to; `TableEnvironment.from_model` returns it.

    Args:
        shape: The model.
        t_env: Its environment.
    """

    def __init__(self, shape: ModelShape, t_env: TableEnvironment) -> None:
        self._shape, self._t_env = shape, t_env

    def predict(self, table: Table, *input_columns: str, options: Mapping[str, str] | None = None) -> Table:
        """The rows of a table with what the model makes of them, as ``ML_PREDICT`` of SQL.

        Args:
            table: New rows only.
            input_columns: The names of the columns that are the model's input, in its order.
            options: Of the call, such as ``{"async": "true"}``.

        Raises:
            ValidationError: The columns do not fit, or nothing runs the model.
        """
        query = query_of(table)
        if query.t_env is not self._t_env:
            raise ValidationError("Only tables from the same TableEnvironment as the model can be given to it.")
        for name in input_columns:
            if not isinstance(name, str):
                raise ValidationError(f"predict needs names of columns, got {cut(name)}")
        given = [Given(GivenTable(query.relation)), Given(GivenModel(self._shape)), Given(Descriptor(input_columns))]
        if options:
            given.append(Given(Call("MAP", tuple(literal(each) for each in chain(*options.items())))))
        return Table(process_table(NAME, given, session_of(self._t_env).functions), self._t_env)


def model_of(t_env: TableEnvironment, model: str | ModelDescriptor) -> Model:
    """A model by its name, or as it is declared.

    Raises:
        ValidationError: There is none of the name.
    """
    session = session_of(t_env)
    if isinstance(model, ModelDescriptor):
        name = session.catalogs.anonymous(model.options.get("provider"))
        session.models.create(name, model.as_catalog_model(), True, False)
    elif isinstance(model, str):
        name = session.qualify(model)
    else:
        raise ValidationError(f"from_model needs a name or a ModelDescriptor, got {cut(model)}")
    found = session.find_model((name.catalog, name.database, name.name))
    if found is None:
        raise unknown("model", str(model), session.model_names(), None)
    return Model(found, t_env)
