"""The library's client for an address. It connects when it is first used."""

from typing import Any, Final, TypeAlias

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff

from handgriff.stores.redis.address import Address

Client: TypeAlias = Redis | RedisCluster

_SECONDS: Final = 5.0
"""To connect, and for an answer."""
_RETRIES: Final = 3
_PAUSE, _LONGEST_PAUSE = 0.02, 0.3
"""Seconds before a retry: a failover is waited for by whoever repeats the call, not here."""


def client_of(address: Address) -> Client:
    """A client; whoever asked for it closes it."""
    options: dict[str, Any] = {
        "username": address.username,
        "password": address.password,
        "socket_timeout": _SECONDS,
        "socket_connect_timeout": _SECONDS,
        "retry": Retry(ExponentialWithJitterBackoff(base=_PAUSE, cap=_LONGEST_PAUSE), _RETRIES),
        # Nothing here needs the third; the second is spoken by every server.
        "protocol": 2,
    }
    if address.is_encrypted:
        options |= {"ssl": True, **address.files}
    if address.is_cluster:
        nodes = [ClusterNode(host, port) for host, port in address.nodes]
        # To begin anew after some slots have moved would close connections that others are using; each moved slot is learnt by itself.
        return RedisCluster(startup_nodes=nodes, reinitialize_steps=0, **options)
    ((host, port),) = address.nodes
    return Redis(host=host, port=port, db=address.database, **options)
