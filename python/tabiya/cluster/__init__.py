"""The same search on many machines: shards on object storage, Ray between the machines.

| file | what |
|---|---|
| `command` | the verbs of `tabiya-cluster` |
| `argument` | kinds of arguments, and what is refused |
| `node` | how a machine becomes part of the cluster |
| `build` | shards from many PGN files |
| `group` | an actor that holds a group of shards |
| `name` | how groups and replicas are known in the cluster |
| `placement` | which shards are a group, and on which nodes it lives |
| `router` | who is asked, and who else if that one does not answer |
| `front` | the HTTP side: the search of `tabiya serve`, answered by all groups |

Ray owns membership, placement, restarts and transport; nothing of that is here.
"""
