const units: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [7 * 86_400, 'day'],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** A moment the server names as RFC 3339 or as milliseconds. */
export function moment(value: unknown): Date | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) || date.getTime() <= 0 ? undefined : date;
}

/** How long ago, coarsely; a date beyond a week. */
export function ago(date: Date, now = Date.now()): string {
  const seconds = Math.round((now - date.getTime()) / 1000);
  if (seconds < 60) return 'now';
  for (let i = 0; i < units.length; i++) {
    const [limit] = units[i];
    if (seconds < limit) return relative.format(-Math.round(seconds / (i === 0 ? 1 : units[i - 1][0])), units[i][1]);
  }
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}

export function clock(date: Date): string {
  return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}
