// A server for development without steno: it serves the built page with the
// real security headers and replays scripted conversations.
//
//   node dev/mock.mjs [--port 7836] [--empty] [--signed-out] [--size 10000] [--huge]

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { Conversation } from './conversation.mjs';
import * as scripts from './scripts.mjs';

const flag = (name, otherwise) => (process.argv.includes(`--${name}`) ? (process.argv[process.argv.indexOf(`--${name}`) + 1] ?? true) : otherwise);
const has = (name) => process.argv.includes(`--${name}`);
const dist = new URL('../dist/', import.meta.url).pathname;
const conversations = new Map();
const listeners = new Set();
let signedOut = has('signed-out');

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

function add(id, title, demo) {
  const conversation = new Conversation(id, title, demo);
  conversation.changed = (c) => tell('changed', { id: c.id, conversation: c.row() });
  conversations.set(id, conversation);
  return conversation;
}

function tell(event, change) {
  for (const response of listeners) response.write(`event: ${event}\ndata: ${JSON.stringify(change)}\n\n`);
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const players = {
  everything: ['A whole turn', 'Thinking, text, two tools at once, an error and a cut-off answer.', scripts.everything],
  thinking: ['Thinking out loud', 'A long thought, then a short answer.', scripts.thinking],
  tools: ['Three tools at once', 'Live output from parallel calls, one of which asks first.', scripts.tools],
};

if (!has('empty')) {
  scripts.cutOff(add('cut', 'The history of shorthand'));
  scripts.error(add('error', 'Summarise the incident'));
  scripts.hostile(add('hostile', '\u202eelttil a ,eltiT\u202c <b>\u0000'));
  scripts.tools(add('tools', 'Check the three services', true), null);
  scripts.thinking(add('thinking', 'Is 2,147,483,647 a prime?', true), null);
  scripts.many(add('many', 'Ten thousand parts'), Number(flag('size', 10_000)));
  scripts.many(add('hundred', 'A hundred parts'), 100);
  if (has('huge')) scripts.huge(add('huge', 'Five million of everything'));
  scripts.paged(add('paged', 'A long history'), 31, 40);
  scripts.everything(add('everything', 'A test that fails once in a while', true), null);
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://mock');
  const json = (body, status = 200) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const stream = () => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' });
    response.write(':\n\n');
    const beat = setInterval(() => response.write(':\n\n'), 15_000);
    response.on('close', () => clearInterval(beat));
  };
  if (pathname === '/mock/sign-out') return (signedOut = searchParams.get('on') !== '0'), json({});
  if (pathname === '/mock/break') {
    for (const c of conversations.values()) for (const viewer of c.viewers) viewer.destroy();
    return json({});
  }
  if (pathname.startsWith('/v1/') && signedOut) return json({ error: 'signed out' }, 401);
  if (pathname === '/v1/conversations') return json([...conversations.values()].map((c) => c.row()));
  if (pathname === '/v1/events') {
    stream();
    listeners.add(response);
    response.on('close', () => listeners.delete(response));
    return;
  }
  if (pathname === '/v1/play' && request.method === 'GET') {
    return json(Object.entries(players).map(([name, [title, about]]) => ({ name, title, about })));
  }
  if (pathname === '/v1/play') {
    let body = '';
    for await (const piece of request) body += piece;
    const { names: [script], speed } = JSON.parse(body);
    const c = add(`play-${conversations.size}-${script}`, players[script][0], true);
    tell('changed', { id: c.id, conversation: c.row() });
    json(c.row());
    return void players[script][2](c, (ms) => wait(ms / speed));
  }
  if (pathname === '/v1/demos' && request.method === 'DELETE') {
    const removed = [...conversations.values()].filter((c) => c.demo).map((c) => c.id);
    for (const id of removed) conversations.delete(id);
    for (const id of removed) tell('deleted', { id });
    return response.writeHead(204).end();
  }
  const page = /^\/v1\/conversations\/paged\/pages\/(\d+)$/.exec(pathname);
  if (page && page[1] > 0) return json({ window: { first: Number(page[1]), older: page[1] > 1 }, ops: scripts.turn(Number(page[1])) });
  const match = /^\/v1\/conversations\/([^/]+)(\/view)?$/.exec(pathname);
  if (match) {
    const c = conversations.get(decodeURIComponent(match[1]));
    if (!c) return json({ error: 'there is no such conversation' }, 404);
    if (request.method === 'DELETE') {
      conversations.delete(c.id);
      tell('deleted', { id: c.id });
      return response.writeHead(204).end();
    }
    stream();
    const [branch, seq] = String(request.headers['last-event-id'] ?? '').split(':');
    if (branch === `b-${c.id}` && Number(seq) <= c.seq) for (const text of c.events.slice(Number(seq))) response.write(text);
    else response.write(`id: ${c.cursor()}\ndata: ${JSON.stringify(c.snapshot())}\n\n`);
    response.write(`event: status\ndata: {"running":${c.running}}\n\n`);
    c.viewers.add(response);
    return void response.on('close', () => c.viewers.delete(response));
  }
  if (pathname.startsWith('/v1/')) return json({ error: 'there is nothing here' }, 404);
  const file = pathname === '/' || pathname.startsWith('/c/') ? 'index.html' : normalize(pathname).slice(1);
  try {
    const body = await readFile(join(dist, file));
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(flag('port', 7836)), '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
