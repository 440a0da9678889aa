// A conversation of the mock: it keeps nodes, publishes ops and remembers
// every event, so a viewer may resume anywhere. It is no fold: scripts say
// the ops themselves.

export class Conversation {
  constructor(id, title, demo = false) {
    Object.assign(this, { id, title, demo, running: false, turns: 0, seq: 0 });
    this.created = this.updated = Date.now();
    this.collections = new Map();
    this.events = [];
    this.viewers = new Set();
    this.changed = () => {};
    this.ordinals = new Map();
  }

  row() {
    const { id, title, demo, running, turns, created, updated } = this;
    return { id, title, demo, running, turns, created, updated };
  }

  cursor() {
    return `b-${this.id}:${this.seq}`;
  }

  snapshot() {
    const ops = [];
    for (const [collection, nodes] of this.collections) {
      for (const [key, node] of nodes) ops.push({ op: 'insert', collection, key, node });
    }
    return { snapshot: true, window: { first: this.first ?? 1, older: (this.first ?? 1) > 1 }, ops };
  }

  publish(...ops) {
    for (const op of ops) this.#apply(op);
    this.seq++;
    this.updated = Date.now();
    const text = `id: ${this.cursor()}\ndata: ${JSON.stringify({ ops })}\n\n`;
    this.events.push(text);
    for (const viewer of this.viewers) viewer.write(text);
  }

  setRunning(running) {
    this.running = running;
    for (const viewer of this.viewers) viewer.write(`event: status\ndata: {"running":${running}}\n\n`);
    this.changed(this);
  }

  #apply(op) {
    const nodes = this.collections.get(op.collection) ?? new Map();
    this.collections.set(op.collection, nodes);
    if (op.op === 'insert') nodes.set(op.key, { ...op.node });
    else if (op.op === 'append') nodes.get(op.key)[op.field] = (nodes.get(op.key)[op.field] ?? '') + op.text;
    else if (op.op === 'set') Object.assign(nodes.get(op.key), op.fields);
    else if (op.op === 'remove') for (const key of op.keys) nodes.delete(key);
    else throw new Error(`the mock does not do ${op.op}`);
  }

  // What follows are the changes scripts are made of.

  user(text) {
    this.turns++;
    this.message = `m${this.turns}a`;
    const message = `m${this.turns}u`;
    this.ordinals = new Map();
    this.publish(
      { op: 'insert', collection: 'messages', key: message, node: { role: 'user', turn: this.turns, at: Date.now(), state: 'ended' } },
      { op: 'insert', collection: `parts/${message}`, key: 'text:0', node: { kind: 'text', state: 'sealed', text } },
      { op: 'insert', collection: 'rows', key: `r-${message}`, node: { type: 'message', message, parts: ['text:0'] } },
      { op: 'insert', collection: 'messages', key: this.message, node: { role: 'assistant', turn: this.turns, at: Date.now(), state: 'open' } },
      { op: 'insert', collection: 'steps', key: `${this.turns}.1`, node: { turn: this.turns, step: 1, message: this.message, attempt: 1, provider: 'anthropic', model: 'claude-sonnet-4-5', state: 'open', failed: [] } },
    );
    this.changed(this);
  }

  part(kind, fields = {}, row = { type: 'part' }) {
    const ordinal = this.ordinals.get(kind) ?? 0;
    this.ordinals.set(kind, ordinal + 1);
    const key = `${kind}:${ordinal}`;
    const ops = [{ op: 'insert', collection: `parts/${this.message}`, key, node: { kind, step: 1, attempt: 1, state: 'open', ...fields } }];
    if (row) ops.push(this.#row(row, [key]));
    this.publish(...ops);
    return key;
  }

  #row(row, parts) {
    return { op: 'insert', collection: 'rows', key: `r-${this.message}-${parts[0] ?? row.type}`, node: { message: this.message, parts, ...row } };
  }

  row1(row, parts = []) {
    this.publish(this.#row(row, parts));
  }

  setRow(first, fields) {
    this.publish({ op: 'set', collection: 'rows', key: `r-${this.message}-${first}`, fields });
  }

  append(key, field, text) {
    const at = (this.collections.get(`parts/${this.message}`).get(key)[field] ?? '').length;
    this.publish({ op: 'append', collection: `parts/${this.message}`, key, field, at, len: text.length, text });
  }

  set(key, fields) {
    this.publish({ op: 'set', collection: `parts/${this.message}`, key, fields });
  }

  end(reason) {
    const parts = this.collections.get(`parts/${this.message}`) ?? new Map();
    const ops = [...parts].filter(([, node]) => node.state !== 'sealed').map(([key]) => ({ op: 'set', collection: `parts/${this.message}`, key, fields: { state: 'sealed' } }));
    ops.push({ op: 'set', collection: 'messages', key: this.message, fields: { state: 'ended', reason } });
    if (reason !== 'complete') ops.push(this.#row({ type: 'end', reason }, []));
    this.publish(...ops);
    this.setRunning(false);
  }
}
