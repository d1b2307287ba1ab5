package main

import "math"

// A write with an unknown outcome may have happened after all events that the answers show of a store. Only a conflict
// can show that. Where no conflict can, the write is placed after the end: the other answers stay right without it.
type tails struct {
	// The last position of each store that an answer or a condition names. Uncertain stores have no entry.
	known map[string]int
	// The latest time at which a fork ended a store.
	left map[string]int64
	// For each unknown write: the conflicts that may come after it, and that its events would explain.
	conflicts map[int][]*operation
}

func tailsOf(f *facts, history []*operation) *tails {
	t := &tails{known: map[string]int{}, left: map[string]int64{}, conflicts: map[int][]*operation{}}
	if !f.areForksInOrder {
		return t
	}
	t.known[f.first] = 0
	store := f.first
	for _, o := range f.forks {
		t.left[store] = *o.Return
		t.know(store, o.Output.Kept)
		store = o.Output.Store
		t.know(store, o.Output.Kept)
	}
	for _, o := range history {
		t.lookAt(o)
	}
	for _, u := range history {
		if u.Output.Kind != "unknown" {
			continue
		}
		for _, o := range history {
			if o.Output.Kind == "conflict" && *o.Return >= *u.Call && u.mayBreak(o) {
				t.conflicts[u.index] = append(t.conflicts[u.index], o)
			}
		}
	}
	return t
}

func (t *tails) lookAt(o *operation) {
	for _, c := range o.Input.Conditions {
		t.know(c.Store, c.After)
		for _, sequence := range c.Found {
			t.know(c.Store, sequence)
		}
	}
	for _, sequence := range o.Output.Sequences {
		t.know(o.Output.Store, sequence)
	}
	if o.Output.Sequence != nil {
		t.know("", *o.Output.Sequence)
	}
	if o.Output.Head != nil {
		t.know(o.Output.Store, *o.Output.Head)
	}
	for _, got := range o.Output.Events {
		t.know(o.Output.Store, got.Sequence)
	}
}

// know records a position of a store, or of every store if none is named.
func (t *tails) know(store string, position int) {
	for name, known := range t.known {
		if (store == "" || store == name) && position > known {
			t.known[name] = position
		}
	}
	if _, isKnown := t.known[store]; !isKnown && store != "" {
		t.known[store] = position
	}
}

// mayBreak returns true when an event of a write matches a condition of another one.
func (u *operation) mayBreak(o *operation) bool {
	for _, c := range o.Input.Conditions {
		for _, one := range u.Input.Events {
			if one.hasAll(c.Tags) {
				return true
			}
		}
	}
	return false
}

// isUnnoticed returns true when an unknown write can just as well come after the end.
func (t *tails) isUnnoticed(now *era, u *operation) bool {
	known, isKnown := t.known[now.store]
	if !isKnown || now.length < known {
		return false
	}
	left, isLeft := t.left[now.store]
	if !isLeft {
		left = math.MaxInt64
	}
	for _, o := range t.conflicts[u.index] {
		if *o.Call > left {
			continue
		}
		if _, _, broken := brokenCondition(now, o.Input.Conditions); broken == "" {
			return false
		}
	}
	return true
}
