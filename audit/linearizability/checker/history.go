package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sort"
)

// An operation is a line of a history. Its times are microseconds of one clock.
type operation struct {
	Op     string `json:"op"`
	Client int    `json:"client"`
	Call   *int64 `json:"call"`
	Return *int64 `json:"return"`
	Input  input  `json:"input"`
	Output output `json:"output"`
	// For people: it appears in the account of a violation.
	Note json.RawMessage `json:"note"`

	line int
	// The index in the list of operations, which identifies it in the search.
	index int
}

type input struct {
	// For a write: the events that it appends, if no condition is broken.
	Condition  *condition  `json:"condition"`
	Conditions []condition `json:"conditions"`
	Events     []*event    `json:"events"`

	// For a read: the events with all of these tags, after a sequence. Without a limit (0) the page is complete.
	Tags      []string `json:"tags"`
	After     int      `json:"after"`
	Limit     int      `json:"limit"`
	Backwards bool     `json:"backwards"`
	// The head was the current one at some moment between call and return. Otherwise the read may be stale. With MayLag
	// it may be stale although the flag -strict is given.
	Strict bool `json:"strict"`
	MayLag bool `json:"mayLag"`
}

// A condition is broken by an event that has all of these tags and comes after a sequence of a store. With Found, it
// holds while the events with these tags are exactly these.
type condition struct {
	After int      `json:"after"`
	Found []int    `json:"found"`
	Store string   `json:"store"`
	Tags  []string `json:"tags"`
}

type event struct {
	Label string   `json:"label"`
	Tags  []string `json:"tags"`

	id uint64
	// True for the last event of its write. All events of a write are committed together.
	isLast bool
}

type output struct {
	Kind      string `json:"kind"`
	Store     string `json:"store"`
	Sequences []int  `json:"sequences"`
	// For an unknown outcome with a store: the write can only have happened there, after this sequence.
	After int `json:"after"`
	// For a conflict, if the server reports them: the index of the broken condition, and the first event that breaks
	// it.
	Condition *int `json:"condition"`
	Sequence  *int `json:"sequence"`

	Head    *int   `json:"head"`
	Events  []seen `json:"events"`
	HasMore bool   `json:"hasMore"`

	Kept int `json:"kept"`
}

// seen is an event of a page: [sequence, label].
type seen struct {
	Sequence int
	Label    string
}

func (s *seen) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return fmt.Errorf("an event of a page is [sequence, label], not %s", text)
	}
	if err := json.Unmarshal(parts[0], &s.Sequence); err != nil {
		return err
	}
	return json.Unmarshal(parts[1], &s.Label)
}

// readHistory reads JSON lines. The operations come in the order of their calls.
func readHistory(from io.Reader, allStrict bool) ([]*operation, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<30)
	var history []*operation
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		o := &operation{line: number}
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(o); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if o.Input.Condition != nil {
			o.Input.Conditions = append(o.Input.Conditions, *o.Input.Condition)
		}
		o.Input.Strict = o.Input.Strict || allStrict && !o.Input.MayLag
		if fault := faultOf(o); fault != "" {
			return nil, fmt.Errorf("line %d: %s", number, fault)
		}
		history = append(history, o)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	sort.SliceStable(history, func(i, j int) bool { return *history[i].Call < *history[j].Call })
	return history, nil
}

// faultOf returns the fault of a line, as opposed to a fault of the history.
func faultOf(o *operation) string {
	switch {
	case o.Call == nil:
		return "call is missing"
	case o.Return != nil && *o.Return < *o.Call:
		return "return is before call"
	}
	switch o.Op {
	case "write":
		return faultOfWrite(o)
	case "read":
		if o.Return == nil {
			return "a read has a return"
		}
		if o.Output.Head == nil && !o.Input.Strict {
			return "a read without a head must be strict"
		}
	case "fork":
		if o.Return == nil || o.Output.Store == "" {
			return "a fork has a return and a store"
		}
	default:
		return fmt.Sprintf("op is write, read or fork, not %q", o.Op)
	}
	return ""
}

func faultOfWrite(o *operation) string {
	switch o.Output.Kind {
	case "":
		o.Output.Kind = "unknown"
	case "written", "conflict", "nothing", "unknown":
	default:
		return fmt.Sprintf("kind is written, conflict, nothing or unknown, not %q", o.Output.Kind)
	}
	if o.Return == nil && o.Output.Kind != "nothing" && o.Output.Kind != "unknown" {
		return "a write that was answered has a return"
	}
	for _, c := range o.Input.Conditions {
		if !sort.IntsAreSorted(c.Found) {
			return "found is in the order of sequences"
		}
	}
	if o.Output.Kind == "conflict" && o.Output.Condition != nil {
		if i := *o.Output.Condition; i < 0 || i >= len(o.Input.Conditions) {
			return fmt.Sprintf("there is no condition %d", i)
		}
	}
	return ""
}
