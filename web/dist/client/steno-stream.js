// src/stream/sight.ts
/** How long a page may be hidden, in milliseconds, before it counts as unseen: a glance at another tab is shorter. */
var glance = 2e3;
/**
* Whether anybody may see the page. A page left behind is unseen at once, a
* hidden one after a while, one that begins hidden until it is shown. Where
* there is no document, somebody always looks.
*/
var Sight = class {
	told;
	#document = globalThis.document;
	#seen = true;
	#timer;
	/** `told` is called when the page is left, and each time somebody looks at it again. */
	constructor(told) {
		this.told = told;
		if (!this.#document) return;
		this.#seen = this.#visible;
		this.#document.addEventListener("visibilitychange", this.#look);
		globalThis.addEventListener?.("pageshow", this.#look);
		globalThis.addEventListener?.("pagehide", this.#left);
	}
	get seen() {
		return this.#seen;
	}
	close() {
		clearTimeout(this.#timer);
		this.#document?.removeEventListener("visibilitychange", this.#look);
		globalThis.removeEventListener?.("pageshow", this.#look);
		globalThis.removeEventListener?.("pagehide", this.#left);
	}
	get #visible() {
		return this.#document?.visibilityState !== "hidden";
	}
	#look = () => {
		clearTimeout(this.#timer);
		if (this.#visible) this.#become(true);
		else this.#timer = setTimeout(this.#left, glance);
	};
	#left = () => {
		clearTimeout(this.#timer);
		this.#become(false);
	};
	#become(seen) {
		if (!this.#seen && !seen) return;
		this.#seen = seen;
		this.told();
	}
};
// src/stream/sse.ts
/**
* A reader of `text/event-stream` bytes, cut anywhere. It follows the WHATWG
* rules: lines end in LF, CR or CRLF, a blank line dispatches, an unfinished
* event at the end of the stream is dropped. Work is linear in the bytes
* however they are cut.
*/
var SSEReader = class {
	dispatch;
	retry;
	#decoder = new TextDecoder("utf-8");
	#line = [];
	#afterCR = false;
	#data = [];
	#event = "";
	#id = "";
	#ownId = false;
	constructor(dispatch, retry = () => {}) {
		this.dispatch = dispatch;
		this.retry = retry;
	}
	push(bytes) {
		const text = this.#decoder.decode(bytes, { stream: true });
		let start = 0;
		if (this.#afterCR && text.length > 0) {
			this.#afterCR = false;
			if (text.charCodeAt(0) === 10) start = 1;
		}
		const ends = /\r\n|\r|\n/g;
		ends.lastIndex = start;
		for (let match = ends.exec(text); match; match = ends.exec(text)) {
			this.#line.push(text.slice(start, match.index));
			start = ends.lastIndex;
			const line = this.#line.length === 1 ? this.#line[0] : this.#line.join("");
			this.#line = [];
			this.#afterCR = match[0] === "\r" && start === text.length;
			this.#take(line);
		}
		if (start < text.length) this.#line.push(text.slice(start));
	}
	#take(line) {
		if (line === "") return this.#flush();
		const colon = line.indexOf(":");
		if (colon === 0) return;
		const field = colon < 0 ? line : line.slice(0, colon);
		let value = colon < 0 ? "" : line.slice(colon + 1);
		if (value.startsWith(" ")) value = value.slice(1);
		if (field === "data") this.#data.push(value);
		else if (field === "event") this.#event = value;
		else if (field === "id" && !value.includes("\0")) {
			this.#id = value;
			this.#ownId = true;
		} else if (field === "retry" && /^\d+$/.test(value)) this.retry(Number(value));
	}
	#flush() {
		const data = this.#data;
		const event = this.#event;
		const ownId = this.#ownId;
		this.#data = [];
		this.#event = "";
		this.#ownId = false;
		if (data.length === 0) return;
		this.dispatch({
			event: event || "message",
			data: data.join("\n"),
			id: this.#id,
			ownId
		});
	}
};
// src/stream/connect.ts
var firstDelay = 250;
var longestDelay = 1e4;
/**
* Keeps one event stream open until closed, with growing pauses between
* failures. It uses fetch, not EventSource: EventSource cannot send a bearer
* token, cannot tell a 401 from a broken line, and picks its own pauses.
*
* In a page it holds a connection only while somebody may see the page, as
* browsers have six for a server and all tabs share them; a page kept for the
* way back would hold its own as well. Seen again, the stream is taken up where
* `headers` says.
*/
var Connector = class {
	options;
	#abort = new AbortController();
	#closed = false;
	#failures = 0;
	#base = firstDelay;
	#wake;
	#state = "connecting";
	#sight = new Sight(() => this.#look());
	constructor(options) {
		this.options = options;
		globalThis.addEventListener?.("online", this.#hurry);
		this.#run();
	}
	get state() {
		return this.#state;
	}
	/** Breaks the stream, if any, and connects again at once. */
	reconnect() {
		this.#abort.abort();
		this.#wake?.();
	}
	close() {
		this.#closed = true;
		globalThis.removeEventListener?.("online", this.#hurry);
		this.#sight.close();
		this.reconnect();
		this.#enter("closed");
	}
	#hurry = () => this.#wake?.();
	#look() {
		if (this.#sight.seen) this.#hurry();
		else this.reconnect();
	}
	async #run() {
		while (!this.#closed) {
			if (!this.#sight.seen) {
				if (this.#state === "live" || this.#state === "retrying") this.#enter("paused");
				await this.#pause(Infinity);
				continue;
			}
			this.#abort = new AbortController();
			const outcome = await this.#once(this.#abort.signal);
			if (this.#closed) return;
			if (outcome === "signed-out" || outcome === "missing") {
				this.#enter(outcome);
				await this.#pause(Infinity);
			} else if (outcome === "broken") {
				this.#enter("retrying");
				const pause = Math.min(longestDelay, this.#base * 2 ** this.#failures++);
				await this.#pause(pause * (.75 + Math.random() / 2));
			}
		}
	}
	async #once(signal) {
		let watch;
		const within = (milliseconds) => {
			clearTimeout(watch);
			watch = setTimeout(() => this.#abort.abort("silent"), milliseconds);
		};
		const alive = () => within(this.options.silence ?? 45e3);
		const ended = () => signal.aborted && signal.reason !== "silent" ? "again" : "broken";
		try {
			within(this.options.answer ?? 15e3);
			const response = await (this.options.fetch ?? globalThis.fetch)(this.options.url(), {
				headers: {
					Accept: "text/event-stream",
					...this.options.headers?.()
				},
				cache: "no-store",
				credentials: "same-origin",
				signal
			});
			if (response.status === 401 || response.status === 403) return "signed-out";
			if (response.status === 404 || response.status === 410) return "missing";
			if (!response.ok || !response.body) return "broken";
			alive();
			await this.#read(response.body.getReader(), alive);
			return ended();
		} catch {
			return ended();
		} finally {
			clearTimeout(watch);
		}
	}
	async #read(body, alive) {
		const reader = new SSEReader((event) => {
			this.#failures = 0;
			this.options.event(event);
		}, (milliseconds) => this.#base = Math.min(longestDelay, Math.max(50, milliseconds)));
		for (;;) {
			const { done, value } = await body.read();
			if (done) return;
			if (this.#abort.signal.aborted) return void body.cancel().catch(() => {});
			this.#enter("live");
			alive();
			reader.push(value);
		}
	}
	#pause(milliseconds) {
		return new Promise((resolve) => {
			const timer = milliseconds === Infinity ? void 0 : setTimeout(resolve, milliseconds);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		}).then(() => void (this.#wake = void 0));
	}
	#enter(state) {
		if (this.#state === state || this.#state === "closed") return;
		this.#state = state;
		this.options.state(state);
	}
};
// src/stream/growing.ts
/**
* Text that only grows. Appending costs O(1) amortised and reading what was
* added since a known length costs what was added, so drawing a delta never
* depends on how long the text already is. Lengths are UTF-16 units, as in
* the protocol.
*/
var Growing = class {
	#pieces = [];
	#length = 0;
	constructor(text = "") {
		this.append(text);
	}
	get length() {
		return this.#length;
	}
	append(text) {
		if (text === "") return;
		this.#length += text.length;
		const pieces = this.#pieces;
		pieces.push(text);
		while (pieces.length > 1 && pieces[pieces.length - 2].length <= pieces[pieces.length - 1].length) {
			const last = pieces.pop();
			pieces[pieces.length - 1] += last;
		}
	}
	/** The text from position `from` to the end. */
	since(from) {
		if (from <= 0) return this.toString();
		if (from >= this.#length) return "";
		const out = [];
		let start = this.#length;
		for (let i = this.#pieces.length - 1; i >= 0; i--) {
			const piece = this.#pieces[i];
			start -= piece.length;
			if (start <= from) {
				out.push(piece.slice(from - start));
				break;
			}
			out.push(piece);
		}
		return out.reverse().join("");
	}
	/** At most the first `count` units. */
	head(count) {
		let out = "";
		for (const piece of this.#pieces) {
			if (out.length >= count) break;
			out += piece.slice(0, count - out.length);
		}
		return out;
	}
	/** Cuts the text back to `length` units; used to undo an event that failed. */
	truncate(length) {
		if (length >= this.#length) return;
		const kept = this.head(length);
		this.#pieces = kept === "" ? [] : [kept];
		this.#length = length;
	}
	toString() {
		if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("")];
		return this.#pieces[0] ?? "";
	}
	toJSON() {
		return this.toString();
	}
};
// src/stream/state.ts
/** What the viewer holds is not what the server thinks it holds; only a snapshot helps. */
var Mismatch = class extends Error {};
var Source = class {
	#listeners = /* @__PURE__ */ new Set();
	/** Calls `listener` once per frame in which this changed. There is no first call. */
	subscribe(listener) {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}
	/** @internal */
	notify() {
		for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener();
	}
};
/** The place of one node. It lives as long as its key does; its node is replaced when a field changes. */
var Slot = class extends Source {
	collection;
	key;
	node;
	removed = false;
	constructor(collection, key, node) {
		super();
		this.collection = collection;
		this.key = key;
		this.node = node;
	}
};
/** An ordered set of slots. Its subscribers hear of structure only: what was inserted, moved or removed. */
var Collection = class extends Source {
	name;
	#slots = [];
	#byKey = /* @__PURE__ */ new Map();
	#frozen;
	constructor(name) {
		super();
		this.name = name;
	}
	get(key) {
		return this.#byKey.get(key);
	}
	get size() {
		return this.#slots.length;
	}
	/** The slots in order; the same array until the structure changes. */
	get slots() {
		return this.#frozen ??= this.#slots.slice();
	}
	/** @internal */
	place(slot, before) {
		const at = before === void 0 ? this.#slots.length : this.#indexOf(before);
		this.#frozen = void 0;
		this.#byKey.set(slot.key, slot);
		if (at === this.#slots.length) this.#slots.push(slot);
		else this.#slots.splice(at, 0, slot);
	}
	/** @internal */
	take(keys) {
		const gone = /* @__PURE__ */ new Set();
		for (const key of keys) {
			const slot = this.#byKey.get(key);
			if (!slot) continue;
			gone.add(slot);
			this.#byKey.delete(key);
		}
		if (gone.size === 0) return [];
		this.#frozen = void 0;
		if (gone.size === 1) {
			const [only] = gone;
			this.#slots.splice(this.#slots.lastIndexOf(only), 1);
		} else this.#slots = this.#slots.filter((slot) => !gone.has(slot));
		return [...gone];
	}
	/** @internal */
	replace(slots) {
		this.#slots = slots.slice();
		this.#byKey = new Map(slots.map((slot) => [slot.key, slot]));
		this.#frozen = void 0;
	}
	#indexOf(key) {
		const slot = this.#byKey.get(key);
		if (!slot) throw new Mismatch(`${this.name}: no ${key} to stand before`);
		return this.#slots.lastIndexOf(slot);
	}
};
/**
* The ordered collections of a conversation, changed only by ops. An event is
* applied whole or, if it does not fit, not at all and {@link Mismatch} is
* thrown. Nothing is folded here.
*/
var State = class State {
	#collections = /* @__PURE__ */ new Map();
	#slots = /* @__PURE__ */ new Set();
	#structures = /* @__PURE__ */ new Set();
	/** The named collection, empty if nothing was said of it yet. */
	collection(name) {
		let found = this.#collections.get(name);
		if (!found) this.#collections.set(name, found = new Collection(name));
		return found;
	}
	get names() {
		return [...this.#collections.keys()];
	}
	apply(ops) {
		const undo = [];
		try {
			for (const op of ops) this.#apply(op, undo);
		} catch (error) {
			for (const step of undo.reverse()) step();
			throw error;
		}
	}
	/** Becomes what `ops` build from nothing. A slot whose key stays is kept, so its subscribers are too. */
	reset(ops) {
		const fresh = new State();
		fresh.apply(ops);
		for (const name of /* @__PURE__ */ new Set([...this.names, ...fresh.names])) this.#adopt(this.collection(name), fresh.collection(name).slots);
	}
	/** Puts what `ops` build from nothing before what is held: an older page. Keys already held stay as they are. */
	prepend(ops) {
		const fresh = new State();
		fresh.apply(ops);
		for (const name of fresh.names) {
			const into = this.collection(name);
			const older = fresh.collection(name).slots.filter((slot) => !into.get(slot.key));
			if (older.length === 0) continue;
			into.replace([...older, ...into.slots]);
			this.#structures.add(into);
		}
	}
	get dirty() {
		return this.#slots.size > 0 || this.#structures.size > 0;
	}
	/** Tells the subscribers of what changed since the last call, each once, and returns it. */
	flush() {
		const changes = {
			slots: this.#slots,
			collections: this.#structures
		};
		this.#slots = /* @__PURE__ */ new Set();
		this.#structures = /* @__PURE__ */ new Set();
		for (const collection of changes.collections) collection.notify();
		for (const slot of changes.slots) slot.notify();
		return changes;
	}
	#adopt(into, slots) {
		const kept = /* @__PURE__ */ new Set();
		const next = slots.map((slot) => {
			kept.add(slot.key);
			const held = into.get(slot.key);
			if (held) held.node = slot.node;
			this.#slots.add(held ?? slot);
			return held ?? slot;
		});
		for (const slot of into.slots) {
			if (kept.has(slot.key)) continue;
			slot.removed = true;
			this.#slots.add(slot);
		}
		into.replace(next);
		this.#structures.add(into);
	}
	#apply(op, undo) {
		switch (op.op) {
			case "insert": return this.#insert(this.collection(op.collection), op, undo);
			case "append": return this.#append(op, undo);
			case "set": {
				const slot = this.#need(op.collection, op.key);
				return this.#write(slot, {
					...slot.node,
					...op.fields
				}, undo);
			}
			case "move": {
				const collection = this.collection(op.collection);
				const slot = this.#need(op.collection, op.key);
				if (op.before === op.key) return;
				this.#restoreLater(collection, undo);
				collection.take([op.key]);
				collection.place(slot, op.before);
				return;
			}
			case "remove": {
				const collection = this.collection(op.collection);
				this.#restoreLater(collection, undo);
				const gone = collection.take(op.keys);
				for (const slot of gone) {
					slot.removed = true;
					this.#slots.add(slot);
				}
				undo.push(() => gone.forEach((slot) => slot.removed = false));
				return;
			}
		}
	}
	#insert(collection, op, undo) {
		const held = collection.get(op.key);
		if (held) {
			this.#write(held, op.node, undo);
			return;
		}
		const slot = new Slot(collection.name, op.key, op.node);
		collection.place(slot, op.before);
		this.#structures.add(collection);
		this.#slots.add(slot);
		undo.push(() => collection.take([op.key]));
	}
	#append(op, undo) {
		const slot = this.#need(op.collection, op.key);
		const held = slot.node[op.field] ?? "";
		const grown = held instanceof Growing ? held : new Growing(String(held));
		if (grown.length !== op.at || op.text.length !== op.len) throw new Mismatch(`${op.collection} ${op.key} ${op.field}: ${grown.length} long, not ${op.at}`);
		grown.append(op.text);
		undo.push(() => grown.truncate(op.at));
		this.#write(slot, {
			...slot.node,
			[op.field]: grown
		}, undo);
	}
	#write(slot, node, undo) {
		const before = slot.node;
		slot.node = node;
		this.#slots.add(slot);
		undo.push(() => slot.node = before);
	}
	#restoreLater(collection, undo) {
		const before = collection.slots;
		undo.push(() => collection.replace(before));
		this.#structures.add(collection);
	}
	#need(collection, key) {
		const slot = this.#collections.get(collection)?.get(key);
		if (!slot) throw new Mismatch(`${collection}: no ${key}`);
		return slot;
	}
};
// src/stream/client.ts
/**
* The stream client of steno's view protocol. It holds a conversation as
* ordered collections of slots, applies what the server says and folds
* nothing. No dependencies; works in browsers and in Node 20.
*/
var windowDefault = 20;
var windowMost = 200;
/** How long older turns may take to come, in milliseconds. */
var pageWait = 15e3;
/**
* A live view of one conversation.
*
* Concurrency: one thread, as JavaScript is. Delivery: state is changed when
* an event arrives; subscribers of slots, collections and the view are told
* once per frame, in that order. A view that was behind is told of the result
* only, never of each step.
*/
var View = class {
	id;
	options;
	state = new State();
	stats = {
		events: 0,
		snapshots: 0,
		mismatches: 0,
		resyncs: 0,
		frames: 0
	};
	running = false;
	window = {
		first: 0,
		older: false
	};
	#connector;
	#cursor = "";
	#stale = true;
	#scheduled = false;
	#closed = false;
	#asked;
	#loading;
	#listeners = /* @__PURE__ */ new Set();
	constructor(id, options = {}) {
		this.id = id;
		this.options = options;
		this.#connector = new Connector({
			url: () => `${this.#path()}/view?window=${this.#turns()}`,
			headers: () => this.#headers(),
			event: ({ event, data, id, ownId }) => {
				if (event === "status") this.#status(data);
				else if (event === "message") this.#receive(data, ownId ? id : "");
			},
			state: () => this.#schedule(),
			fetch: options.fetch
		});
	}
	/** How the stream stands. */
	get connection() {
		return this.#connector.state;
	}
	/** `branch:seq` of the last event applied; empty before the first. */
	get cursor() {
		return this.#cursor;
	}
	/** Whether a snapshot was applied and nothing has contradicted it since. */
	get ready() {
		return !this.#stale;
	}
	collection(name) {
		return this.state.collection(name);
	}
	/** Calls `listener` once per frame in which anything changed, the connection and status included. */
	subscribe(listener) {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}
	/** Forgets the cursor and reads the snapshot again. What is shown stays until it comes. */
	resync() {
		this.stats.resyncs++;
		this.#stale = true;
		this.#cursor = "";
		this.#connector.reconnect();
	}
	/** Tries at once where a retry is pending. */
	retry() {
		this.#connector.reconnect();
	}
	/** Loads the turn before the window. False if there is none or it could not be had now. */
	loadEarlier() {
		return this.#loading ??= this.#page().finally(() => this.#loading = void 0);
	}
	close() {
		this.#closed = true;
		clearTimeout(this.#asked);
		this.#connector.close();
	}
	async #page() {
		if (!this.window.older || this.#stale) return false;
		const turn = this.window.first - 1;
		const get = this.options.fetch ?? globalThis.fetch;
		const { "Last-Event-ID": _, ...headers } = this.#headers();
		const response = await get(`${this.#path()}/pages/${turn}`, {
			headers,
			credentials: "same-origin",
			signal: AbortSignal.timeout(pageWait)
		}).catch(() => void 0);
		if (response?.status === 404) {
			this.window = {
				first: this.window.first,
				older: false
			};
			this.#schedule();
		}
		if (!response?.ok) return false;
		const page = await response.json().catch(() => void 0);
		if (!page) return false;
		if (this.#closed || this.#stale || this.window.first - 1 !== turn) return false;
		this.state.prepend(page.ops);
		this.window = {
			first: turn,
			older: page.window?.older ?? turn > 1
		};
		this.#schedule();
		return true;
	}
	#receive(data, id) {
		let publication;
		try {
			publication = JSON.parse(data);
			if (!Array.isArray(publication.ops)) throw new Mismatch("no ops");
			this.#apply(publication, id);
		} catch {
			this.stats.mismatches++;
			this.resync();
			return;
		}
		this.stats.events++;
		this.#schedule();
	}
	#apply(publication, id) {
		if (publication.snapshot) {
			clearTimeout(this.#asked);
			this.state.reset(publication.ops);
			this.window = {
				first: publication.window?.first ?? 0,
				older: publication.window?.older ?? false
			};
			this.#stale = false;
			this.stats.snapshots++;
		} else if (publication.ops.some(({ op }) => op === "resync")) {
			this.#stale = true;
			this.#cursor = "";
			clearTimeout(this.#asked);
			this.#asked = setTimeout(() => this.resync(), 1e3);
			return;
		} else if (this.#stale) return;
		else this.state.apply(publication.ops);
		if (id) this.#cursor = id;
	}
	#status(data) {
		try {
			this.running = JSON.parse(data).running === true;
		} catch {
			return;
		}
		this.#schedule();
	}
	#schedule() {
		if (this.#scheduled || this.#closed) return;
		this.#scheduled = true;
		(this.options.schedule ?? nextFrame)(() => {
			this.#scheduled = false;
			if (this.#closed) return;
			this.stats.frames++;
			const changes = this.state.flush();
			for (const listener of [...this.#listeners]) listener(changes);
		});
	}
	#path() {
		return `${this.options.base ?? ""}/v1/conversations/${encodeURIComponent(this.id)}`;
	}
	#headers() {
		const headers = {};
		if (this.options.token) headers.Authorization = `Bearer ${this.options.token}`;
		if (this.#cursor) headers["Last-Event-ID"] = this.#cursor;
		return headers;
	}
	/** A snapshot read again should hold the turns the reader already has. */
	#turns() {
		const wanted = this.options.window ?? windowDefault;
		if (this.window.first === 0) return wanted;
		let newest = this.window.first;
		for (const { node } of this.state.collection("messages").slots) newest = Math.max(newest, Number(node.turn) || 0);
		return Math.min(windowMost, Math.max(wanted, newest - this.window.first + 1));
	}
};
/** The next animation frame; a timer where the page is hidden and frames do not come. */
function nextFrame(run) {
	if (typeof requestAnimationFrame !== "function" || globalThis.document?.visibilityState === "hidden") {
		setTimeout(run, 16);
		return;
	}
	let ran = false;
	const once = () => {
		if (ran) return;
		ran = true;
		clearTimeout(timer);
		run();
	};
	const timer = setTimeout(once, 500);
	requestAnimationFrame(once);
}
export { Collection, Connector, Growing, Mismatch, SSEReader, Slot, State, View };
