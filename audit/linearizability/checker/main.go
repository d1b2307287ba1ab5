// Checks with Porcupine that a history of the event store is linearizable.
//
//	linearizability [-timeout 60s] [-megabytes 2048] [-strict] [-plain] [-picture file.html] history.jsonl
//
// It prints one line of JSON with its verdict. The exit code is 0 when there is an order that explains every answer,
// 1 when there is none, 2 when it is undecided, and 3 when the file is missing or not a history.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

type verdict struct {
	Verdict    string   `json:"verdict"`
	Operations int      `json:"operations"`
	Seconds    float64  `json:"seconds"`
	Account    []string `json:"account,omitempty"`
}

const (
	linearizable = "linearizable"
	violation    = "violation"
	undecided    = "undecided"
)

var exitCodes = map[string]int{linearizable: 0, violation: 1, undecided: 2}

type flags struct {
	timeout   time.Duration
	megabytes uint64
	strict    bool
	plain     bool
	picture   string
	path      string
}

func main() {
	given, err := parseFlags()
	if err == nil {
		err = run(given)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

func parseFlags() (given flags, err error) {
	set := flag.NewFlagSet("linearizability", flag.ContinueOnError)
	set.DurationVar(&given.timeout, "timeout", time.Minute, "after this time it is undecided")
	set.Uint64Var(&given.megabytes, "megabytes", 2048, "when the search needs more memory it is undecided")
	set.BoolVar(&given.strict, "strict", false, "no read may be stale that does not say mayLag")
	set.BoolVar(&given.plain, "plain", false, "search without shortcuts, which takes much longer")
	set.StringVar(&given.picture, "picture", "", "a file for Porcupine's picture of a violation")
	if err = set.Parse(os.Args[1:]); err != nil {
		return given, err
	}
	if set.NArg() != 1 || given.timeout <= 0 {
		return given, fmt.Errorf("one file with a history is needed, and a timeout above 0")
	}
	given.path = set.Arg(0)
	return given, nil
}

// run ends the process with the verdict. It returns only when no verdict is possible.
func run(given flags) error {
	file, err := os.Open(given.path)
	if err != nil {
		return err
	}
	all, err := readHistory(file, given.strict)
	if err != nil {
		return fmt.Errorf("%s: %w", given.path, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: a history without operations shows nothing", given.path)
	}
	history := numbered(all)
	f, err := factsOf(history, given.plain)
	if err != nil {
		return fmt.Errorf("%s: %w", given.path, err)
	}
	search := &search{started: time.Now(), operations: len(all)}
	go search.watchMemory(given.megabytes)
	model, operations := f.model(), f.forPorcupine(history)
	switch porcupine.CheckOperationsTimeout(model, operations, given.timeout) {
	case porcupine.Ok:
		search.end(linearizable)
	case porcupine.Unknown:
		search.end(undecided, fmt.Sprintf("it takes longer than %s", given.timeout))
	}
	// Runs the search again, and records its progress. Only a violation is worth that time.
	search.isViolation.Store(true)
	_, info := porcupine.CheckOperationsVerbose(model, operations, given.timeout)
	if given.picture != "" {
		if err := porcupine.VisualizePath(model, info, given.picture); err != nil {
			return err
		}
	}
	search.end(violation, f.accountOf(info, history)...)
	return nil
}

type search struct {
	started     time.Time
	operations  int
	isViolation atomic.Bool
	ending      sync.Mutex
}

// end prints the verdict and ends the process. The first verdict counts.
func (s *search) end(found string, account ...string) {
	s.ending.Lock()
	seconds := time.Since(s.started).Round(time.Millisecond).Seconds()
	text, _ := json.Marshal(verdict{found, s.operations, seconds, account})
	fmt.Println(string(text))
	os.Exit(exitCodes[found])
}

// watchMemory ends the search before it takes the memory of other programs.
func (s *search) watchMemory(megabytes uint64) {
	for range time.Tick(100 * time.Millisecond) {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		if now.HeapAlloc>>20 <= megabytes {
			continue
		}
		text := fmt.Sprintf("it needs more than %d MB", megabytes)
		if s.isViolation.Load() {
			s.end(violation, "to tell how far an order comes: "+text)
		}
		s.end(undecided, text)
	}
}

// numbered leaves out writes that certainly did nothing, and adds an end after which nothing happens.
func numbered(all []*operation) []*operation {
	var history []*operation
	var events uint64
	for _, o := range all {
		if o.Op == "write" && o.Output.Kind == "nothing" {
			continue
		}
		o.index = len(history)
		history = append(history, o)
		for i, one := range o.Input.Events {
			events++
			one.id = events
			one.isLast = i == len(o.Input.Events)-1
		}
	}
	return append(history, endOf(history))
}

func endOf(history []*operation) *operation {
	var end int64
	for _, o := range history {
		for _, at := range []*int64{o.Call, o.Return} {
			if at != nil && *at >= end {
				end = *at + 1
			}
		}
	}
	return &operation{Op: "end", Client: -1, Call: &end, Return: &end, index: len(history)}
}

func (f *facts) model() porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return state{now: newEra(f.first, newLog(), 0, nil)} },
		Step: func(s, in, _ interface{}) (bool, interface{}) {
			next, fault := f.step(s.(state), in.(*operation))
			return fault == "", next
		},
		Equal:             isSameState,
		Hash:              hashOfState,
		DescribeOperation: func(in, _ interface{}) string { return describe(in.(*operation)) },
		DescribeState: func(s interface{}) string {
			return fmt.Sprintf("store %s ends at %d", s.(state).now.store, s.(state).now.length)
		},
	}
}

// forPorcupine gives each operation the time in which it can have happened. A write with an unknown outcome either
// changes the store before the end, or is placed after the end.
func (f *facts) forPorcupine(history []*operation) []porcupine.Operation {
	end := *history[len(history)-1].Return
	isLast := f.lastMoments(history)
	var operations []porcupine.Operation
	for _, o := range history {
		one := porcupine.Operation{ClientId: o.Client + 1, Input: o, Call: *o.Call, Return: end + 1}
		if last := o.end(); last <= end {
			one.Return = last
		}
		if isLast[o.index] {
			one.Call = one.Return
		}
		operations = append(operations, one)
	}
	return operations
}
