"""The shop's database: its records in an SQLite file of their own, and the JSON form it is filled from and written back to.

Each record is kept as its JSON text under (table, key); what is looked up by anything else has a table of its own. It knows no rules.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from examples.retail.records import TABLES, Key, Order, Product, Record, User

Snapshot: TypeAlias = Mapping[Key, str]
"""Every record as its JSON text."""

_SCHEMA = Path(__file__).with_name("schema.sql")


class Database:
    """One connection to the shop's file. Reads see what was committed; writing happens in one `transaction`."""

    def __init__(self, path: str | Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        # The file can be filled again from its JSON, so a lost last write is cheaper here than a sync for each.
        self._connection.executescript("PRAGMA journal_mode = wal; PRAGMA synchronous = normal;")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def product(self, product_id: str) -> Product | None:
        """The product of this id."""
        found: Product | None = self._read("products", product_id)
        return found

    def user(self, user_id: str) -> User | None:
        """The shopper of this id."""
        found: User | None = self._read("users", user_id)
        return found

    def order(self, order_id: str) -> Order | None:
        """The order of this id."""
        found: Order | None = self._read("orders", order_id)
        return found

    def product_of_item(self, item_id: str) -> Product | None:
        """The product that has a variant of this item id."""
        row = self._connection.execute("SELECT product FROM variants WHERE id = ?", (item_id,)).fetchone()
        return None if row is None else self.product(row[0])

    def products(self) -> list[Product]:
        """All products."""
        rows = self._connection.execute("SELECT record FROM records WHERE kind = 'products' ORDER BY id")
        return [read_json(text) for (text,) in rows]

    def users_by_email(self, email: str) -> list[str]:
        """The ids of the shoppers with this address, in whatever case it was written."""
        rows = self._connection.execute("SELECT id FROM shoppers WHERE email = ?", (_folded(email),))
        return [user_id for (user_id,) in rows]

    def users_by_name(self, first_name: str, last_name: str, zip_code: str) -> list[str]:
        """The ids of the shoppers of this name, in whatever case, who live at this zip code."""
        query = "SELECT id FROM shoppers WHERE last_name = ? AND first_name = ? AND zip = ?"
        rows = self._connection.execute(query, (_folded(last_name), _folded(first_name), zip_code.strip()))
        return [user_id for (user_id,) in rows]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the right to write: what is read inside stays true until the end, and an exception takes everything back."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def put(self, table: str, key: str, record: Record) -> None:
        """Write a record, and what it is looked up by."""
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", (table, key, write_json(record)))
        if table == "users":
            self._connection.execute("INSERT OR REPLACE INTO shoppers VALUES (?, ?, ?, ?, ?)", (key, *_looked_up_by(record)))
        if table == "products":
            self._connection.execute("DELETE FROM variants WHERE product = ?", (key,))
            self._connection.executemany("INSERT OR REPLACE INTO variants VALUES (?, ?)", ((item, key) for item in record["variants"]))

    def remove(self, key: Key) -> None:
        """Take a record out, and what it is looked up by."""
        self._connection.execute("DELETE FROM records WHERE kind = ? AND id = ?", key)
        table, record_id = key
        if table == "users":
            self._connection.execute("DELETE FROM shoppers WHERE id = ?", (record_id,))
        if table == "products":
            self._connection.execute("DELETE FROM variants WHERE product = ?", (record_id,))

    def snapshot(self) -> dict[Key, str]:
        """Every record as its JSON text."""
        return {(table, key): text for table, key, text in self._connection.execute("SELECT kind, id, record FROM records")}

    def restore(self, snapshot: Snapshot) -> None:
        """Make the records those of *snapshot* again."""
        now = self.snapshot()
        with self.transaction():
            for added in now.keys() - snapshot.keys():
                self.remove(added)
            for (table, key), text in snapshot.items():
                if now.get((table, key)) != text:
                    self.put(table, key, read_json(text))

    def fill(self, records: Iterable[tuple[Key, Record]]) -> None:
        """Write many records at once."""
        with self.transaction():
            for (table, key), record in records:
                self.put(table, key, record)

    def _read(self, table: str, key: str) -> Any:
        row = self._connection.execute("SELECT record FROM records WHERE kind = ? AND id = ?", (table, key)).fetchone()
        return None if row is None else read_json(row[0])


def load(source: str | Path, target: str | Path) -> None:
    """Fill a new SQLite file from a JSON database.

    Raises:
        ValueError: the JSON is no database of this form.
    """
    records = read_database(source)
    with closing(sqlite3.connect(target)) as connection:
        connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
    with closing(Database(target)) as database:
        database.fill(records.items())


def dump(database: Database) -> dict[str, dict[str, Any]]:
    """The whole database in its JSON form, amounts as decimals; `write_json` makes text of it."""
    tables: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
    for (table, key), text in database.snapshot().items():
        tables[table][key] = read_json(text)
    return tables


def read_database(source: str | Path) -> dict[Key, Record]:
    """Every record of a JSON database.

    Raises:
        ValueError: it is no database of this form.
    """
    tables = read_json(Path(source).read_text(encoding="utf-8"))
    if not isinstance(tables, dict) or not all(isinstance(tables.get(table), dict) for table in TABLES):
        raise ValueError(f"{str(source)!r} is no shop's database: it needs the tables {', '.join(TABLES)}, each an object.")
    return {(table, key): record for table in TABLES for key, record in tables[table].items()}


def read_json(text: str) -> Any:  # JSON may be anything until it has been looked at
    """JSON with every broken number as a decimal, so that no cent is lost on the way."""
    return json.loads(text, parse_float=Decimal)


def write_json(value: Any) -> str:
    """JSON with decimals as numbers. Amounts have far fewer digits than a double keeps, so each comes back equal to the cent."""
    return json.dumps(value, default=_number, ensure_ascii=False)


def _number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _looked_up_by(user: Record) -> tuple[str, str, str, str]:
    name, address = user["name"], user["address"]
    return _folded(user["email"]), _folded(name["first_name"]), _folded(name["last_name"]), address["zip"]


def _folded(text: str) -> str:
    return text.strip().casefold()
