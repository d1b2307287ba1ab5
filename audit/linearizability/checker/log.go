package main

import "sort"

// A log is a list of events that only grows. Many states share it, and each uses only the first events. A state that
// continues with other events gets a branch, which is created once.
type log struct {
	events   []*event
	hashes   []uint64
	byTag    map[string][]int
	branches map[branch]*log
}

type branch struct{ length, operation int }

func newLog() *log {
	return &log{byTag: map[string][]int{}, branches: map[branch]*log{}}
}

// extend returns a log that has the events of a write after its first events.
func (l *log) extend(length int, o *operation) *log {
	if l.hasAt(length, o.Input.Events) {
		return l
	}
	if length == len(l.events) {
		l.push(o.Input.Events)
		return l
	}
	key := branch{length, o.index}
	other := l.branches[key]
	if other == nil {
		other = newLog()
		other.push(l.events[:length])
		other.push(o.Input.Events)
		l.branches[key] = other
	}
	return other
}

func (l *log) hasAt(length int, events []*event) bool {
	if length+len(events) > len(l.events) {
		return false
	}
	for i, one := range events {
		if l.events[length+i] != one {
			return false
		}
	}
	return true
}

func (l *log) push(events []*event) {
	for _, one := range events {
		hash := (l.hash(len(l.events)) ^ one.id) * 0x9e3779b97f4a7c15
		l.hashes = append(l.hashes, hash^hash>>29)
		l.events = append(l.events, one)
		sequence := len(l.events)
		for _, tag := range one.Tags {
			of := l.byTag[tag]
			// An event may carry a tag twice.
			if len(of) == 0 || of[len(of)-1] != sequence {
				l.byTag[tag] = append(of, sequence)
			}
		}
	}
}

// hash distinguishes lists of this length, almost always.
func (l *log) hash(length int) uint64 {
	if length == 0 {
		return 1
	}
	return l.hashes[length-1]
}

func (l *log) isSame(other *log, length int) bool {
	if l == other {
		return true
	}
	return l.hash(length) == other.hash(length) && l.hasAt(0, other.events[:length])
}

// isBetweenWrites returns true when this number of events ends with a whole write.
func (l *log) isBetweenWrites(length int) bool {
	return length == 0 || l.events[length-1].isLast
}

// matching visits the sequences of the events that have all tags, with after < sequence <= head, until visit stops it.
func (l *log) matching(tags []string, after, head int, visit func(sequence int) bool) {
	if len(tags) == 0 {
		for sequence := after + 1; sequence <= head; sequence++ {
			if !visit(sequence) {
				return
			}
		}
		return
	}
	fewest := l.byTag[tags[0]]
	for _, tag := range tags[1:] {
		if found := l.byTag[tag]; len(found) < len(fewest) {
			fewest = found
		}
	}
	for i := sort.SearchInts(fewest, after+1); i < len(fewest) && fewest[i] <= head; i++ {
		if l.events[fewest[i]-1].hasAll(tags) && !visit(fewest[i]) {
			return
		}
	}
}

// firstMatching returns 0 when there is none.
func (l *log) firstMatching(tags []string, after, head int) int {
	first := 0
	l.matching(tags, after, head, func(sequence int) bool {
		first = sequence
		return false
	})
	return first
}

func (e *event) hasAll(tags []string) bool {
	for _, wanted := range tags {
		isThere := false
		for _, tag := range e.Tags {
			isThere = isThere || tag == wanted
		}
		if !isThere {
			return false
		}
	}
	return true
}
