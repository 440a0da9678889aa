// Package player plays recorded provider answers as if they came now, through
// the same path as live ones.
//
// It holds the built-in recordings: sessions made up for the demo, with every
// answer in the wire format of a real provider. A recording is a script and the
// answer files it names. What a provider said is bytes and goes through the
// wire decoder; what stood between the answers (the user's message, the output
// of running tools, a notice) is source events.
//
// # Scripts
//
// A script, NAME.script.jsonl, is JSON lines. The first may give it a title and
// a line about it; every other plays an answer file or is a source event in the
// JSON form of [steno.Event]:
//
//	{"title":"A flaky test","about":"Parallel tools with live output."}
//	{"type":"user-message","text":"The build is red.","body":{"by":"you"}}
//	{"pause":200,"type":"turn-start"}
//	{"pause":50,"play":"flaky.1.sse","format":"anthropic-messages"}
//	{"pause":300,"type":"tool-output","call":"toolu_1","text":"ok\n"}
//
// pause is how long to wait before the line, in milliseconds; where a script
// says no pause there is none. A file is named without a directory and stands
// beside the script. Without a format, or with "auto", it is guessed.
//
// # Timing
//
// The timing file of FILE is FILE.timing. Each line is a JSON list of two whole
// numbers, [bytes, ms]: that many bytes of FILE were there that many
// milliseconds after the answer was asked for. Both only grow. What is left of
// the file comes with the last line. An answer without a timing file is played
// frame by frame, [DefaultRate] in a second.
package player
