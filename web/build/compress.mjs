// Puts a .gz beside every text file of dist that gains by it. Equal input
// gives equal bytes: no time stands in the header and the system byte is set.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url).pathname;
const smallest = 2048;

for (const name of readdirSync(dist, { recursive: true }).sort()) {
  if (name.endsWith('.gz')) rmSync(join(dist, name));
  if (!/\.(?:js|css|html|svg)$/.test(name)) continue;
  const plain = readFileSync(join(dist, name));
  if (plain.length < smallest) continue;
  const packed = gzipSync(plain, { level: 9 });
  packed[9] = 255;
  writeFileSync(join(dist, `${name}.gz`), packed);
}
