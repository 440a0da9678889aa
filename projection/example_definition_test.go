package projection_test

import (
	"fmt"
	"log"

	"github.com/stenolog/steno/projection"
	"github.com/stenolog/steno/text"
)

// happening is the event of these examples: what happened to which job.
type happening struct {
	what, job, text string
}

// job is the state they fold into.
type job struct {
	Output text.Text
	State  string
}

// jobs is a definition: which events are mine, how I start, how I fold, and how
// soon a view should hear of it.
var jobs = projection.Definition[happening, job]{
	Kind: "job",
	Match: func(h *happening) (projection.Claim, bool) {
		claim := projection.Claim{Collection: projection.Collection{Name: "jobs"}, ID: h.job, Role: projection.Update}
		if h.what == "started" {
			claim.Role = projection.Start
		}
		return claim, h.job != ""
	},
	Start: func(*happening, projection.Reader) job { return job{State: "running"} },
	Update: func(j job, h *happening) job {
		if h.what == "ended" {
			j.State = "ended"
		}
		j.Output = j.Output.Append(h.text)
		return j
	},
	Cadence: func(h *happening) projection.Cadence {
		if h.what == "printed" {
			return projection.Frame
		}
		return projection.Immediate
	},
}

func ExampleDefinition() {
	engine, err := projection.New(projection.Options[happening]{
		Kinds: []projection.Kind[happening]{projection.Of(jobs)},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range []happening{
		{what: "started", job: "build"},
		{what: "printed", job: "build", text: "compiling… "},
		{what: "started", job: "lint"},
		{what: "printed", job: "build", text: "done"},
		{what: "ended", job: "build"},
		{what: "printed", job: "deploy", text: "to a job that never started"},
	} {
		if err := engine.Push(&h); err != nil {
			log.Fatal(err)
		}
	}
	for node := range engine.Snapshot().Nodes(projection.Collection{Name: "jobs"}) {
		j := projection.MustState[job](node)
		fmt.Printf("%s since %d: %s %q\n", node.Key, node.Seq, j.State, j.Output)
	}
	fmt.Println("unmatched:", engine.Metrics().Unmatched)
	// Output:
	// job:build since 1: ended "compiling… done"
	// job:lint since 3: running ""
	// unmatched: 1
}
