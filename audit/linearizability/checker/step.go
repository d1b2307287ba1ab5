package main

import (
	"fmt"
	"sort"
)

// The rules of the store, for one operation after the other. Each step returns the state after it, or why it cannot be
// the next operation.

func (f *facts) step(s state, o *operation) (state, string) {
	switch o.Op {
	case "write":
		return f.write(s, o)
	case "read":
		return f.read(s, o)
	case "fork":
		return f.fork(s, o)
	default:
		return state{now: s.now, isOver: true}, ""
	}
}

func (f *facts) write(s state, o *operation) (state, string) {
	index, sequence, broken := brokenCondition(s.now, o.Input.Conditions)
	switch o.Output.Kind {
	case "conflict":
		return s, faultOfConflict(o, index, sequence, broken)
	case "unknown":
		if s.isOver {
			// It never happens, or it happens too late for a client to notice, or its condition was broken. The result
			// is the same.
			return s, ""
		}
		if o.isElsewhere(s.now) {
			return s, fmt.Sprintf("it can only come after %d in store %s", o.Output.After, o.Output.Store)
		}
		if broken != "" {
			return s, broken
		}
		if f.tails.isUnnoticed(s.now, o) {
			return s, "nothing shows that it has happened"
		}
	case "written":
		if broken != "" {
			return s, broken
		}
		if fault := faultOfAnswer(s.now, o); fault != "" {
			return s, fault
		}
	}
	if len(o.Input.Events) == 0 {
		return s, ""
	}
	if fault := f.faultOfPlace(s, o); fault != "" {
		return s, fault
	}
	now := s.now
	return state{now: newEra(now.store, now.log.extend(now.length, o), now.length+len(o.Input.Events), now.earlier)}, ""
}

// isElsewhere returns true when a write with an unknown outcome names a store and a position, and these are others.
func (o *operation) isElsewhere(now *era) bool {
	return o.Output.Store != "" && (o.Output.Store != now.store || now.length < o.Output.After)
}

// brokenCondition returns the first broken condition and the first event that breaks it. The event is 0 when the
// condition is about another store, or about missing events.
func brokenCondition(now *era, conditions []condition) (index, sequence int, why string) {
	for i, c := range conditions {
		if c.Store != "" && c.Store != now.store {
			return i, 0, fmt.Sprintf("its condition is about store %s, and this is %s", c.Store, now.store)
		}
		last := c.After
		if len(c.Found) > 0 {
			last = c.Found[len(c.Found)-1]
		}
		first, isThere := breaking(now, c)
		switch {
		case first > 0:
			return i, first, fmt.Sprintf("event %d breaks its condition", first)
		case last > now.length:
			return i, 0, fmt.Sprintf("its condition is about position %d, and the store ends at %d", last, now.length)
		case !isThere:
			return i, 0, "its condition is about an event that does not match"
		}
	}
	return -1, 0, ""
}

// breaking returns the first event that breaks a condition (0: none), and true when all events in Found exist.
func breaking(now *era, c condition) (first int, isThere bool) {
	if c.Found == nil {
		return now.log.firstMatching(c.Tags, c.After, now.length), true
	}
	seen := 0
	now.log.matching(c.Tags, 0, now.length, func(sequence int) bool {
		if at := sort.SearchInts(c.Found, sequence); at == len(c.Found) || c.Found[at] != sequence {
			first = sequence
			return false
		}
		seen++
		return true
	})
	return first, seen == len(c.Found)
}

func faultOfConflict(o *operation, index, sequence int, broken string) string {
	told := o.Output
	switch {
	case broken == "":
		return "no condition is broken"
	case told.Condition != nil && *told.Condition != index:
		return fmt.Sprintf("condition %d is the first that is broken", index)
	case told.Sequence != nil && *told.Sequence != sequence:
		return broken
	}
	return ""
}

func faultOfAnswer(now *era, o *operation) string {
	if o.Output.Store != now.store {
		return "the store is " + now.store
	}
	told := o.Output.Sequences
	if told == nil {
		return ""
	}
	if len(told) != len(o.Input.Events) {
		return fmt.Sprintf("it has %d events", len(o.Input.Events))
	}
	for i, sequence := range told {
		if sequence != now.length+1+i {
			return fmt.Sprintf("the next sequence is %d", now.length+1)
		}
	}
	return ""
}

func (f *facts) read(s state, o *operation) (state, string) {
	then := s.now
	if o.Input.Strict {
		if fault := f.faultOfStrict(s, o); fault != "" {
			return s, fault
		}
	} else if then = s.now.of(o.Output.Store); then == nil {
		return s, fmt.Sprintf("store %s has not been yet", o.Output.Store)
	}
	head := then.length
	if o.Output.Head != nil {
		head = *o.Output.Head
	}
	if head > then.length {
		return s, fmt.Sprintf("store %s ends at %d", then.store, then.length)
	}
	if head < 0 || !then.log.isBetweenWrites(head) {
		return s, fmt.Sprintf("%d is in the midst of a write", head)
	}
	if fault := faultOfPage(then.log, head, o); fault != "" {
		return s, fault
	}
	if _, hasTurn := f.turn[o.index]; hasTurn {
		return state{now: s.now, readsDone: s.readsDone + 1}, ""
	}
	return s, ""
}

func (f *facts) faultOfStrict(s state, o *operation) string {
	switch {
	case o.Output.Store != s.now.store:
		return "the store is " + s.now.store
	case o.Output.Head == nil:
		return ""
	case *o.Output.Head != s.now.length:
		return fmt.Sprintf("the store ends at %d", s.now.length)
	}
	if turn, hasTurn := f.turn[o.index]; hasTurn && turn != s.readsDone {
		return "another read of the same state comes first"
	}
	return ""
}

// faultOfPage compares a page with the matching events at the time when the store had this number of events.
func faultOfPage(events *log, head int, o *operation) string {
	var right []int
	events.matching(o.Input.Tags, o.Input.After, head, func(sequence int) bool {
		right = append(right, sequence)
		// One event too many shows that a page is wrong.
		return o.Input.Limit > 0 || len(right) <= len(o.Output.Events)
	})
	if o.Input.Backwards {
		for i, j := 0, len(right)-1; i < j; i, j = i+1, j-1 {
			right[i], right[j] = right[j], right[i]
		}
	}
	hasMore := o.Input.Limit > 0 && len(right) > o.Input.Limit
	if hasMore {
		right = right[:o.Input.Limit]
	}
	for i, sequence := range right {
		if i == len(o.Output.Events) {
			return fmt.Sprintf("event %d is missing", sequence)
		}
		got := o.Output.Events[i]
		if label := events.events[sequence-1].Label; got.Sequence != sequence || got.Label != label {
			return fmt.Sprintf("it got event %d (%s) instead of %d (%s)", got.Sequence, got.Label, sequence, label)
		}
	}
	if len(o.Output.Events) > len(right) {
		return fmt.Sprintf("event %d does not belong there", o.Output.Events[len(right)].Sequence)
	}
	if hasMore != o.Output.HasMore {
		return fmt.Sprintf("hasMore is %t", hasMore)
	}
	return ""
}

// fork begins a new store with the first events of the current one.
func (f *facts) fork(s state, o *operation) (state, string) {
	kept := o.Output.Kept
	switch {
	case s.now.of(o.Output.Store) != nil:
		return s, fmt.Sprintf("store %s has been before", o.Output.Store)
	case kept < 0 || kept > s.now.length:
		return s, fmt.Sprintf("store %s ends at %d", s.now.store, s.now.length)
	case !s.now.log.isBetweenWrites(kept):
		return s, fmt.Sprintf("%d is in the midst of a write", kept)
	}
	if fault := f.faultOfLeaving(s); fault != "" {
		return s, fault
	}
	return state{now: newEra(o.Output.Store, s.now.log, kept, s.now)}, ""
}
