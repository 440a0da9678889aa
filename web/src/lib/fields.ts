import { visible } from './visible';
import { Growing, type Fields } from '../stream/client';

/** A text field in either of its forms; empty if absent. */
export type Text = string | Growing;

export function textOf(node: Fields, field: string): Text {
  const value = node[field];
  if (value instanceof Growing || typeof value === 'string') return value;
  return value === undefined || value === null ? '' : String(value);
}

export function stringOf(node: Fields, field: string): string {
  return String(textOf(node, field));
}

/** Whether a part may still change; absent, as any field, its state is the first: open. */
export function isOpen(part: Fields): boolean {
  return part.state !== 'sealed';
}

export function numberOf(node: Fields, field: string): number | undefined {
  return typeof node[field] === 'number' ? node[field] : undefined;
}

export function listOf(node: Fields, field: string): unknown[] {
  return Array.isArray(node[field]) ? node[field] : [];
}

export function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function headOf(text: Text, count: number): string {
  return text instanceof Growing ? text.head(count) : text.slice(0, count);
}

/** The end of a text in one line, from a word on. */
export function lastWords(text: Text): string {
  const tail = tailOf(text, 120).replace(/\s+/g, ' ');
  return text.length > 120 ? tail.replace(/^\S{0,40}\s/, '') : tail;
}

export function tailOf(text: Text, count: number): string {
  return text instanceof Growing ? text.since(text.length - count) : text.slice(-count);
}

const comparable = 64 << 10;

/** Whether two texts are the same but for the white space around them. Empty and very long ones are not. */
export function sameWords(a: Text, b: Text): boolean {
  if (a.length === 0 || b.length === 0 || a.length > comparable || b.length > comparable) return false;
  return String(a).trim() === String(b).trim();
}

/** A field that is a name, short enough to stand in one line and with nothing hidden in it. */
export function nameOf(node: Fields, field: string): string {
  return visible(headOf(textOf(node, field), 200));
}
