/** Where a scroller stands. */
export interface Extent {
  top: number;
  /** Height of what is seen. */
  view: number;
  /** Height of all there is. */
  content: number;
}

/** How near to the bottom a reader who scrolls down has arrived. */
const near = 24;

/**
 * Whether the view follows the bottom. Only the reader's own scrolling changes
 * it: up, away from the bottom, ends it; down to the bottom begins it. Growth,
 * shrinking and resizing, and the scroll events they cause, change nothing.
 */
export class Follow {
  on = true;
  #top = 0;

  /** Notes a position the view itself chose. */
  placed(top: number): void {
    this.#top = top;
  }

  /** Takes a scroll event and says whether the reader moved. */
  scrolled({ top, view, content }: Extent): boolean {
    const moved = top - this.#top;
    if (Math.abs(moved) < 1) return false;
    const distance = content - view - top;
    // A position pressed up against the bottom by shrinking content is no one's wish.
    if (moved < 0 && distance > 1) this.on = false;
    else if (moved > 0 && distance <= near) this.on = true;
    this.#top = top;
    return true;
  }
}
