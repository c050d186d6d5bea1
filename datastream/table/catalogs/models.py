"""The models of an environment: temporary ones first, then those of the catalogs."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.table.catalogs.manager import CatalogManager
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectIdentifier


class ModelRegistry:
    """Finds models.

    Args:
        catalogs: The catalogs.

    Attributes:
        temporary: Temporary models.
    """

    def __init__(self, catalogs: CatalogManager) -> None:
        self._catalogs = catalogs
        self.temporary: dict[ObjectIdentifier, CatalogModel] = {}

    def find(self, name: ObjectIdentifier) -> CatalogModel | None:
        """A model; None: there is none."""
        if name in self.temporary:
            return self.temporary[name]
        catalog, path = self._catalogs.catalogs.get(name.catalog), name.to_object_path()
        return catalog.get_model(path) if catalog is not None and catalog.model_exists(path) else None

    def names(self, catalog: str, database: str) -> list[str]:
        """The names of the models that a catalog keeps in a database."""
        return sorted(self._catalogs.catalog(catalog).list_models(database))

    def temporary_names(self, catalog: str, database: str) -> list[str]:
        """The names of the temporary models of a database."""
        return sorted(each.name for each in self.temporary if (each.catalog, each.database) == (catalog, database))

    def create(self, name: ObjectIdentifier, model: CatalogModel, temporary: bool, ignore_if_exists: bool) -> None:
        """Add a model.

        Raises:
            ValidationError: There is one of the name, or no such catalog or database.
        """
        if not temporary:
            self._catalogs.catalog(name.catalog).create_model(name.to_object_path(), model, ignore_if_exists)
        elif name not in self.temporary:
            self.temporary[name] = model
        elif not ignore_if_exists:
            raise ValidationError(f"Temporary model '{name}' already exists")

    def drop(self, name: ObjectIdentifier, ignore_if_not_exists: bool) -> bool:
        """Remove a model from its catalog. Returns whether there is one of the name, as Flink does.

        Raises:
            ValidationError: There is none.
        """
        if self.find(name) is not None:  # also a temporary one, which stays
            self._catalogs.catalog(name.catalog).drop_model(name.to_object_path(), ignore_if_not_exists)
            return True
        if not ignore_if_not_exists:
            raise ValidationError(f"Model with identifier '{name.as_summary_string()}' does not exist.")
        return False

    def drop_temporary(self, name: ObjectIdentifier) -> bool:
        """Remove a temporary model. Returns whether there was one."""
        return self.temporary.pop(name, None) is not None
