/**
 * The only addresses that become links: http, https, mailto and fragments,
 * written plainly. Anything encoded, relative or with another scheme is text.
 */
const allowed = /^(?:https?:\/\/[^\s\u0000-\u001f]+|mailto:[^\s\u0000-\u001f]+|#[^\s\u0000-\u001f]*)$/i;

export function safeHref(href: string | null | undefined): string | undefined {
  return href && allowed.test(href) ? href : undefined;
}
