// Joins the declarations of the stream client's files into one beside the
// built module, as the module itself is one file.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const web = new URL('../', import.meta.url).pathname;
const out = mkdtempSync(join(tmpdir(), 'steno-types-'));
const sources = readdirSync(join(web, 'src/stream')).sort().map((name) => join(web, 'src/stream', name));
execFileSync(join(web, 'node_modules/.bin/tsc'), ['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--stripInternal', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable', '--outDir', out, ...sources], { stdio: 'inherit' });
const text = ['growing', 'sse', 'state', 'connect', 'client']
  .map((name) => readFileSync(join(out, `${name}.d.ts`), 'utf8'))
  .join('\n')
  .replace(/^(?:import|export) .* from '.*';\n/gm, '');
rmSync(out, { recursive: true });
writeFileSync(join(web, 'dist/client/steno-stream.d.ts'), text);
