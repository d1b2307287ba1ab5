"""Checks the proofs of a store without any code of the event store: python3 check_proofs.py URL [ROOT@HEAD]

It reads all events as they are stored, computes the root of the Merkle tree of RFC 9162 over them, and compares it
with the root of the server, and with an earlier one from a witness file. Then it checks a proof for each 1000th event.
A token is in EVENTSTORE_TOKEN. It needs the rights read and copy. docs/proofs.md explains the tree.
"""

import hashlib, json, os, sys, time, urllib.error, urllib.request

TOKEN = os.environ.get("EVENTSTORE_TOKEN")


def send(method, path, body=None):
    headers = {"Authorization": "Bearer " + TOKEN} if TOKEN else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(1)  # the server is still hashing


def leaf(line):
    return hashlib.sha256(b"\0" + line).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(leaves):
    """Section 2.1.1: joins neighbours level by level. The last of an odd number goes up alone."""
    while len(leaves) > 1:
        pairs = [node(*leaves[i:i + 2]) for i in range(0, len(leaves) - 1, 2)]
        leaves = pairs + leaves[len(leaves) - len(leaves) % 2:]
    return leaves[0] if leaves else hashlib.sha256().digest()


def root_of_path(index, size, digest, path):
    """Section 2.1.3.2: the root to which a proof of inclusion leads."""
    last = size - 1
    for other in path:
        if index % 2 == 1 or index == last:
            digest = node(other, digest)
            while index % 2 == 0 and index > 0:
                index, last = index // 2, last // 2
        else:
            digest = node(digest, other)
        index, last = index // 2, last // 2
    return digest if last == 0 else None


def check(is_right, what):
    if not is_right:
        sys.exit("WRONG: " + what)


URL = sys.argv[1].rstrip("/")
claimed = json.loads(send("GET", "/proof"))
head, leaves = claimed["head"], []
while len(leaves) < head:
    lines = send("QUERY", "/events/stored", {"afterSequence": len(leaves)}).split(b"\n")[:-2]
    check(lines, f"event {len(leaves) + 1} is missing")
    for line in lines:
        check(json.loads(line)["sequence"] == len(leaves) + 1, f"event {len(leaves) + 1} is missing")
        leaves.append(leaf(line))
leaves = leaves[:head]
root = root_of(leaves)
check(root.hex() == claimed["root"], f"an event has changed: the root is {root.hex()}, not {claimed['root']}")
for earlier in sys.argv[2:]:
    digest, _, size = earlier.partition("@")
    check(root_of(leaves[:int(size)]).hex() == digest, f"the first {size} events are not those of {earlier}")
for sequence in range(1, head + 1, 1000):
    proof = json.loads(send("GET", f"/proof?sequence={sequence}&head={head}"))
    path = [bytes.fromhex(digest) for digest in proof["path"]]
    digest = leaf(proof["event"].encode())
    check(digest == leaves[sequence - 1] and root_of_path(sequence - 1, head, digest, path) == root, f"event {sequence}")
print(f"right: {head} events, root {root.hex()}@{head}")
