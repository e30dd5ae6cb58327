"""The same questions on many machines: shards on object storage, Ray between the machines.

| file | what |
|---|---|
| `command` | the verbs of `tabiya-cluster` |
| `argument` | types of arguments |
| `node` | how a machine becomes part of the cluster |
| `build` | shards from many PGN files |
| `group` | an actor that holds a group of shards |
| `name` | the names of groups and replicas |
| `placement` | which shards form a group, and on which nodes it runs |
| `router` | which replica is asked, and which is next if it fails |
| `front` | the HTTP side: the questions of `tabiya serve`, answered by all groups |
| `serve` | a front and its groups, from the manifest to the socket |
| `status` | the nodes and replicas that Ray knows |

Ray handles membership, placement, restarts and transport.
"""
