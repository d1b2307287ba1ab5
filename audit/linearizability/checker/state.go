package main

import "hash/fnv"

// A state is the content of the store between two operations.
type state struct {
	now *era
	// The number of strict reads of exactly this state that are done (see facts.go).
	readsDone int
	// True after the end: nothing more happens.
	isOver bool
}

// An era is the time of one store ID, with its events so far and the eras before it. It never changes.
type era struct {
	store   string
	log     *log
	length  int
	earlier *era
	hash    uint64
}

func newEra(store string, events *log, length int, earlier *era) *era {
	text := fnv.New64a()
	text.Write([]byte(store))
	hash := text.Sum64() ^ events.hash(length)
	if earlier != nil {
		hash = hash*0x100000001b3 ^ earlier.hash
	}
	return &era{store, events, length, earlier, hash}
}

func (e *era) isSame(other *era) bool {
	if e == other || e == nil || other == nil {
		return e == other
	}
	return e.hash == other.hash && e.store == other.store && e.length == other.length &&
		e.log.isSame(other.log, e.length) && e.earlier.isSame(other.earlier)
}

// of returns the era of a store ID; nil when it has not begun yet.
func (e *era) of(store string) *era {
	for ; e != nil && e.store != store; e = e.earlier {
	}
	return e
}

func isSameState(a, b interface{}) bool {
	one, other := a.(state), b.(state)
	return one.readsDone == other.readsDone && one.isOver == other.isOver && one.now.isSame(other.now)
}

func hashOfState(s interface{}) uint64 {
	return s.(state).now.hash + uint64(s.(state).readsDone)
}
