/**
 * Text that only grows. Appending costs O(1) amortised and reading what was
 * added since a known length costs what was added, so drawing a delta never
 * depends on how long the text already is. Lengths are UTF-16 units, as in
 * the protocol.
 */
export declare class Growing {
    #private;
    constructor(text?: string);
    get length(): number;
    append(text: string): void;
    /** The text from position `from` to the end. */
    since(from: number): string;
    /** At most the first `count` units. */
    head(count: number): string;
    /** Cuts the text back to `length` units; used to undo an event that failed. */
    truncate(length: number): void;
    toString(): string;
    toJSON(): string;
}

/** One server-sent event, or a change of the reconnection delay. */
export interface SSEvent {
    event: string;
    data: string;
    /** The id in force after this event; empty if none was ever given. */
    id: string;
    /** Whether this very event carried an id field. */
    ownId: boolean;
}
/**
 * A reader of `text/event-stream` bytes, cut anywhere. It follows the WHATWG
 * rules: lines end in LF, CR or CRLF, a blank line dispatches, an unfinished
 * event at the end of the stream is dropped. Work is linear in the bytes
 * however they are cut.
 */
export declare class SSEReader {
    #private;
    private readonly dispatch;
    private readonly retry;
    constructor(dispatch: (event: SSEvent) => void, retry?: (milliseconds: number) => void);
    push(bytes: Uint8Array): void;
}

/** The fields of a node. A field that grew is a {@link Growing}; `String(field)` reads either form. */
export type Fields = {
    readonly [field: string]: unknown;
};
export type Op = {
    op: 'insert';
    collection: string;
    key: string;
    before?: string;
    node: Fields;
} | {
    op: 'append';
    collection: string;
    key: string;
    field: string;
    at: number;
    len: number;
    text: string;
} | {
    op: 'set';
    collection: string;
    key: string;
    fields: Fields;
} | {
    op: 'move';
    collection: string;
    key: string;
    before?: string;
} | {
    op: 'remove';
    collection: string;
    keys: string[];
} | {
    op: 'resync';
};
/** What the viewer holds is not what the server thinks it holds; only a snapshot helps. */
export declare class Mismatch extends Error {
}
type Listener = () => void;
declare class Source {
    #private;
    /** Calls `listener` once per frame in which this changed. There is no first call. */
    subscribe(listener: Listener): () => void;
}
/** The place of one node. It lives as long as its key does; its node is replaced when a field changes. */
export declare class Slot extends Source {
    readonly collection: string;
    readonly key: string;
    node: Fields;
    removed: boolean;
    constructor(collection: string, key: string, node: Fields);
}
/** An ordered set of slots. Its subscribers hear of structure only: what was inserted, moved or removed. */
export declare class Collection extends Source {
    #private;
    readonly name: string;
    constructor(name: string);
    get(key: string): Slot | undefined;
    get size(): number;
    /** The slots in order; the same array until the structure changes. */
    get slots(): readonly Slot[];
}
/** What one frame changed: slots that were inserted, written or removed, and collections whose structure did. */
export interface Changes {
    slots: ReadonlySet<Slot>;
    collections: ReadonlySet<Collection>;
}
/**
 * The ordered collections of a conversation, changed only by ops. An event is
 * applied whole or, if it does not fit, not at all and {@link Mismatch} is
 * thrown. Nothing is folded here.
 */
export declare class State {
    #private;
    /** The named collection, empty if nothing was said of it yet. */
    collection(name: string): Collection;
    get names(): string[];
    apply(ops: readonly Op[]): void;
    /** Becomes what `ops` build from nothing. A slot whose key stays is kept, so its subscribers are too. */
    reset(ops: readonly Op[]): void;
    /** Puts what `ops` build from nothing before what is held: an older page. Keys already held stay as they are. */
    prepend(ops: readonly Op[]): void;
    get dirty(): boolean;
    /** Tells the subscribers of what changed since the last call, each once, and returns it. */
    flush(): Changes;
}
export {};

/**
 * How a stream stands: `connecting` for the first time, `live`, `retrying`
 * after it broke, `paused` while nobody sees the page, `signed-out` (401),
 * `missing` (404, 410), `closed` by us.
 */
export type Connection = 'connecting' | 'live' | 'retrying' | 'paused' | 'signed-out' | 'missing' | 'closed';
export interface ConnectOptions {
    /** The address of the next attempt. */
    url: () => string;
    /** Headers of the next attempt; `Last-Event-ID` and `Authorization` go here. */
    headers?: () => Record<string, string>;
    event: (event: SSEvent) => void;
    state: (state: Connection) => void;
    fetch?: typeof fetch;
    /** The longest silence in milliseconds before the stream counts as dead; the server speaks every 15 s. */
    silence?: number;
    /** The longest wait in milliseconds for the answer to begin; the server begins at once. */
    answer?: number;
}
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
export declare class Connector {
    #private;
    private readonly options;
    constructor(options: ConnectOptions);
    get state(): Connection;
    /** Breaks the stream, if any, and connects again at once. */
    reconnect(): void;
    close(): void;
}

/**
 * The stream client of steno's view protocol. It holds a conversation as
 * ordered collections of slots, applies what the server says and folds
 * nothing. No dependencies; works in browsers and in Node 20.
 */
/** One publication: the JSON of an event's data. */
export interface Publication {
    ops: Op[];
    snapshot?: boolean;
    window?: {
        first: number;
        older: boolean;
    };
}
export interface ViewOptions {
    /** What stands before `/v1/…`; empty for the page's own origin. */
    base?: string;
    /** A bearer token, where no cookie signs in. */
    token?: string;
    /** How many of the newest turns to ask for. */
    window?: number;
    fetch?: typeof fetch;
    /** Runs its argument soon, once: a frame. By default the next animation frame, or a timer where none comes. */
    schedule?: (run: () => void) => void;
}
/** Counts for tests and the curious. */
export interface Stats {
    events: number;
    snapshots: number;
    mismatches: number;
    resyncs: number;
    frames: number;
}
/** Where older turns come from and whether there are any. */
export interface Window {
    first: number;
    older: boolean;
}
/**
 * A live view of one conversation.
 *
 * Concurrency: one thread, as JavaScript is. Delivery: state is changed when
 * an event arrives; subscribers of slots, collections and the view are told
 * once per frame, in that order. A view that was behind is told of the result
 * only, never of each step.
 */
export declare class View {
    #private;
    readonly id: string;
    private readonly options;
    readonly state: State;
    readonly stats: Stats;
    running: boolean;
    window: Window;
    constructor(id: string, options?: ViewOptions);
    /** How the stream stands. */
    get connection(): Connection;
    /** `branch:seq` of the last event applied; empty before the first. */
    get cursor(): string;
    /** Whether a snapshot was applied and nothing has contradicted it since. */
    get ready(): boolean;
    collection(name: string): Collection;
    /** Calls `listener` once per frame in which anything changed, the connection and status included. */
    subscribe(listener: (changes: Changes) => void): () => void;
    /** Forgets the cursor and reads the snapshot again. What is shown stays until it comes. */
    resync(): void;
    /** Tries at once where a retry is pending. */
    retry(): void;
    /** Loads the turn before the window. False if there is none or it could not be had now. */
    loadEarlier(): Promise<boolean>;
    close(): void;
}
