/**
 * The only addresses that become links: http, https, mailto and fragments,
 * written plainly. Anything encoded, relative or with another scheme is text.
 */
const allowed = /^(?:https?:\/\/[^\s\u0000-\u001f]+|mailto:[^\s\u0000-\u001f]+|#[^\s\u0000-\u001f]*)$/i;

/** No address anyone means is longer. */
const longest = 8192;

export function safeHref(href: string | null | undefined): string | undefined {
  return href && href.length <= longest && allowed.test(href) ? href : undefined;
}
