// Measures every peer on W2 with 1,000 parts, each in a process of its own, and
// prints a line of JSON for each: its name and the CPU time of a delta in
// nanoseconds. A peer whose work grows with the message is stopped after BOX
// milliseconds; its time is that of the deltas it did. The benchmark runs this
// once a round.
import { spawnSync } from 'node:child_process';

const peers = {
  'a Map and strings (floor of JavaScript)': 'floor',
  'assistant-stream': 'aui',
  'AI SDK, bare': 'ai7-bare',
  'AI SDK, readUIMessageStream': 'ai7-read',
  'Solid, reconcile': 'solid-reconcile',
  'AG-UI': 'agui',
};
for (const [name, peer] of Object.entries(peers)) {
  const env = { ...process.env, NODE_ENV: 'production', READ: '0', BOX: '700' };
  const flags = ['--conditions=browser', '--expose-gc', 'run.mjs', peer, 'w2', '1000'];
  const done = spawnSync(process.execPath, flags, { env, encoding: 'utf8', timeout: 60_000 });
  const line = (done.stdout ?? '').split('\n').find((l) => l.startsWith('{'));
  if (line) console.log(JSON.stringify({ name, ns: JSON.parse(line).ns }));
  else console.error(`${name}: ${(done.stderr || String(done.error ?? '')).slice(0, 300)}`);
}
