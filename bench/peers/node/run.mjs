// Measures one peer: node --conditions=browser --expose-gc run.mjs PEER WORKLOAD ARGS…
// It is warmed up and then prints one line of JSON.
import { PEERS } from './peers.mjs';

const [peer, work, ...args] = process.argv.slice(2);
const box = process.env.BOX;
process.env.BOX = '300';
for (let i = 0; i < 3; i++) await PEERS[peer](work, ['10', '20000']);
process.env.BOX = box;
globalThis.gc?.();
const { cpu, boxed } = await PEERS[peer](work, args);
console.log(JSON.stringify({ ns: cpu, boxed }));
process.exit(0);
