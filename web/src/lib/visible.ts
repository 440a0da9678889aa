const bidi: Record<string, string> = {
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u061c': 'ALM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
};

const controls = 'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

/**
 * Control characters spelled out and line ends as LF. For prose, which keeps
 * its direction marks: each block is isolated. Replaces character by
 * character, so text may be cut anywhere but between CR and LF.
 */
export function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, spelled);
}

/**
 * The same with direction marks spelled out. For names, code, arguments and
 * output, where an invisible mark could make text say what it does not.
 */
export function visible(text: string): string {
  return spellMarks(plain(text));
}

/** Direction marks spelled out, nothing else. */
export function spellMarks(text: string): string {
  return text.replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, (mark) => `⟨${bidi[mark]}⟩`);
}

/** What a terminal would have coloured: the same text without the colours. */
export function uncoloured(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

function spelled(character: string): string {
  const code = character.charCodeAt(0);
  return `⟨${code < 0x20 ? controls[code] : code === 0x7f ? 'DEL' : code.toString(16).toUpperCase()}⟩`;
}
