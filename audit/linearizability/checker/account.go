package main

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

const lastOnes = 8

// accountOf describes a violation: the longest order that Porcupine has found, and why nothing can follow it.
func (f *facts) accountOf(info porcupine.LinearizationInfo, history []*operation) []string {
	s, done := state{now: newEra(f.first, newLog(), 0, nil)}, map[int]bool{}
	order := longest(info)
	for _, index := range order {
		s, _ = f.step(s, history[index])
		done[index] = true
	}
	lines := []string{fmt.Sprintf("%d of %d operations have an order; then store %s ends at %d; the last ones:",
		len(order), len(history)-1, s.now.store, s.now.length)}
	first := len(order) - lastOnes
	if first < 0 {
		first = 0
	}
	for _, index := range order[first:] {
		lines = append(lines, "  "+describe(history[index]))
	}
	lines = append(lines, "none of these can be next; the first one has to be over first:")
	for _, o := range candidates(history, done) {
		_, why := f.step(s, o)
		if why == "" {
			why = "possible, but no order gets further with it"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s", describe(o), why))
	}
	return lines
}

// candidates returns the remaining operations that began before any other remaining one ended, sorted by their ends.
func candidates(history []*operation, done map[int]bool) []*operation {
	var left, found []*operation
	for _, o := range history {
		if !done[o.index] {
			left = append(left, o)
		}
	}
	sort.SliceStable(left, func(i, j int) bool { return left[i].end() < left[j].end() })
	for _, o := range left {
		if *o.Call <= left[0].end() {
			found = append(found, o)
		}
	}
	return found
}

func longest(info porcupine.LinearizationInfo) []int {
	var found []int
	for _, partition := range info.PartialLinearizations() {
		for _, order := range partition {
			if len(order) > len(found) {
				found = order
			}
		}
	}
	return found
}

// end is the last moment at which the operation can have happened.
func (o *operation) end() int64 {
	if o.Return == nil || o.Output.Kind == "unknown" {
		return math.MaxInt64
	}
	return *o.Return
}

func describe(o *operation) string {
	end := "never"
	if o.Return != nil {
		end = fmt.Sprint(*o.Return)
	}
	text := fmt.Sprintf("line %d, client %d, %d to %s: ", o.line, o.Client, *o.Call, end)
	switch o.Op {
	case "write":
		text += describeWrite(o)
	case "read":
		text += describeRead(o)
	case "end":
		return "the end"
	default:
		text += fmt.Sprintf("fork to store %s with %d events", o.Output.Store, o.Output.Kept)
	}
	if len(o.Note) > 0 {
		text += " " + string(o.Note)
	}
	return text
}

func describeWrite(o *operation) string {
	text := "write"
	for _, one := range o.Input.Events {
		text += fmt.Sprintf(" %s(%s)", one.Label, strings.Join(one.Tags, " "))
	}
	for _, c := range o.Input.Conditions {
		text += fmt.Sprintf(" unless (%s) after %d of %q", strings.Join(c.Tags, " "), c.After, c.Store)
	}
	text += " -> " + o.Output.Kind
	if o.Output.Kind == "written" {
		text += fmt.Sprintf(" %v in store %s", o.Output.Sequences, o.Output.Store)
	}
	return text
}

func describeRead(o *operation) string {
	text := fmt.Sprintf("read (%s) after %d", strings.Join(o.Input.Tags, " "), o.Input.After)
	if o.Input.Strict {
		text = "strict " + text
	}
	text += " -> store " + o.Output.Store
	if o.Output.Head != nil {
		text += fmt.Sprintf(" at %d", *o.Output.Head)
	}
	for i, got := range o.Output.Events {
		if i == 2*lastOnes {
			return text + fmt.Sprintf(" ... %d events", len(o.Output.Events))
		}
		text += fmt.Sprintf(" %d=%s", got.Sequence, got.Label)
	}
	return text
}
