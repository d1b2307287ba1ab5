package main

import (
	"fmt"
	"sort"
)

// facts holds the conclusions from the answers before any order is tried. They rule out impossible orders early, so the
// search stays short. Every rule here follows from the rules of step.go: none rejects a right history.
type facts struct {
	first string
	forks []*operation
	// True when no forks overlap: then it is certain which store each fork continued.
	areForksInOrder bool
	parents         map[string]*fork

	// The write whose answer named this place, and the event that a read has seen there.
	owners map[place]int
	labels map[place]string

	// The number of strict reads of one state, and the position of each. They change nothing, so the order of their
	// calls is sufficient. All of them come before the next state, because no state comes back.
	readsOf map[place]int
	turn    map[int]int

	tails *tails
	plain bool
}

type place struct {
	store    string
	sequence int
}

type fork struct {
	parent string
	kept   int
}

// factsOf draws the conclusions. With plain, it draws only those that the rules need, to test the others.
func factsOf(history []*operation, plain bool) (*facts, error) {
	f := &facts{
		parents: map[string]*fork{}, owners: map[place]int{}, labels: map[place]string{},
		readsOf: map[place]int{}, turn: map[int]int{}, tails: &tails{}, plain: plain,
	}
	f.lookAtForks(history)
	if err := f.nameStores(history); err != nil {
		return nil, err
	}
	if plain {
		return f, nil
	}
	f.lookAtAnswers(history)
	f.tails = tailsOf(f, history)
	return f, nil
}

func (f *facts) lookAtForks(history []*operation) {
	isNew := map[string]bool{}
	for _, o := range history {
		if o.Op == "fork" {
			f.forks = append(f.forks, o)
			isNew[o.Output.Store] = true
		}
	}
	f.first = firstStore(history, isNew)
	f.areForksInOrder = true
	parent := f.first
	for i, o := range f.forks {
		if i > 0 && *o.Call <= *f.forks[i-1].Return || f.parents[o.Output.Store] != nil {
			f.areForksInOrder = false
		}
		f.parents[o.Output.Store] = &fork{parent, o.Output.Kept}
		parent = o.Output.Store
	}
}

// firstStore is the store of the first answer whose store no fork created, or else of the first such condition.
func firstStore(history []*operation, isNew map[string]bool) string {
	for _, o := range history {
		if o.Op != "fork" && o.Output.Store != "" && !isNew[o.Output.Store] {
			return o.Output.Store
		}
	}
	for _, o := range history {
		for _, c := range o.Input.Conditions {
			if c.Store != "" && !isNew[c.Store] {
				return c.Store
			}
		}
	}
	return ""
}

// nameStores adds the store to answers that do not name it. The store is certain when there was only one.
func (f *facts) nameStores(history []*operation) error {
	for _, o := range history {
		isAnswer := o.Op == "read" || o.Op == "write" && o.Output.Kind == "written"
		if !isAnswer || o.Output.Store != "" {
			continue
		}
		if len(f.forks) > 0 {
			return fmt.Errorf("line %d: with forks, every answer names its store", o.line)
		}
		o.Output.Store = f.first
	}
	return nil
}

// origin returns the place where an event was first written, when a later store has taken it over.
func (f *facts) origin(at place) place {
	for f.areForksInOrder {
		from := f.parents[at.store]
		if from == nil || at.sequence > from.kept {
			break
		}
		at.store = from.parent
	}
	return at
}

func (f *facts) lookAtAnswers(history []*operation) {
	for _, o := range history {
		if o.Op == "write" && o.Output.Kind == "written" {
			for _, sequence := range o.Output.Sequences {
				f.owners[f.origin(place{o.Output.Store, sequence})] = o.index
			}
		}
		if o.Op != "read" {
			continue
		}
		for _, got := range o.Output.Events {
			f.labels[f.origin(place{o.Output.Store, got.Sequence})] = got.Label
		}
		if o.Input.Strict && o.Output.Head != nil {
			at := place{o.Output.Store, *o.Output.Head}
			f.turn[o.index] = f.readsOf[at]
			f.readsOf[at]++
		}
	}
}

// faultOfPlace returns why the events of a write cannot come next, independent of its own answer.
func (f *facts) faultOfPlace(s state, o *operation) string {
	for i, one := range o.Input.Events {
		at := place{s.now.store, s.now.length + 1 + i}
		if owner, isTaken := f.owners[at]; isTaken && owner != o.index {
			return fmt.Sprintf("another write was told the sequence %d", at.sequence)
		}
		if label, isSeen := f.labels[at]; isSeen && label != one.Label {
			return fmt.Sprintf("event %d was read as %s", at.sequence, label)
		}
	}
	return f.faultOfLeaving(s)
}

func (f *facts) faultOfLeaving(s state) string {
	if wanted := f.readsOf[place{s.now.store, s.now.length}]; s.readsDone < wanted {
		return fmt.Sprintf("%d reads that saw the head %d come first", wanted-s.readsDone, s.now.length)
	}
	return ""
}

// lastMoments returns the operations that can be placed at the moment of their return. A state that explains them once
// still explains them later. These are stale reads, and conflicts whose store and position were certain when they
// began.
func (f *facts) lastMoments(history []*operation) map[int]bool {
	last := map[int]bool{}
	if f.plain {
		return last
	}
	certain := f.certainLengths(history)
	for _, o := range history {
		switch {
		case o.Op == "read":
			last[o.index] = !o.Input.Strict
		case o.Op == "write" && o.Output.Kind == "conflict":
			last[o.index] = f.isLasting(o, certain)
		}
	}
	return last
}

type certainty struct {
	at     int64
	length int
}

// certainLengths returns for each store the lengths that it certainly had, each with the time from which on it is
// certain, in the order of time.
func (f *facts) certainLengths(history []*operation) map[string][]certainty {
	all := map[string][]certainty{}
	add := func(o *operation, length int) {
		all[o.Output.Store] = append(all[o.Output.Store], certainty{*o.Return, length})
	}
	for _, o := range history {
		switch {
		case o.Op == "fork":
			add(o, o.Output.Kept)
		case o.Op == "read" && o.Output.Head != nil:
			add(o, *o.Output.Head)
		case o.Op == "write" && o.Output.Kind == "written" && len(o.Output.Sequences) > 0:
			add(o, o.Output.Sequences[len(o.Output.Sequences)-1])
		}
	}
	for _, of := range all {
		sort.Slice(of, func(i, j int) bool { return of[i].at < of[j].at })
		for i := 1; i < len(of); i++ {
			if of[i].length < of[i-1].length {
				of[i].length = of[i-1].length
			}
		}
	}
	return all
}

func (f *facts) isLasting(o *operation, certain map[string][]certainty) bool {
	// With several conditions, the first broken one may change.
	if o.Output.Condition != nil && *o.Output.Condition > 0 || !f.areForksInOrder {
		return false
	}
	store := f.first
	for _, one := range f.forks {
		if *one.Return < *o.Call {
			store = one.Output.Store
		} else if *one.Call <= *o.Return {
			return false
		}
	}
	if o.Output.Sequence != nil {
		// The first event that breaks a condition stays the first one.
		return true
	}
	of := certain[store]
	before := sort.Search(len(of), func(i int) bool { return of[i].at >= *o.Call })
	length := 0
	if before > 0 {
		length = of[before-1].length
	}
	for _, c := range o.Input.Conditions {
		if (c.After > length || c.Found != nil) && (c.Store == "" || c.Store == store) {
			return false
		}
	}
	return true
}
