const choices = ['auto', 'light', 'dark'] as const;
export type Choice = (typeof choices)[number];

/** Light, dark, or what the system says; remembered on this device. */
class Theme {
  choice = $state<Choice>(stored());

  constructor() {
    this.#show();
  }

  next(): void {
    this.choice = choices[(choices.indexOf(this.choice) + 1) % choices.length];
    try {
      localStorage.setItem('theme', this.choice);
    } catch {
      // Storage may be denied; the choice then lasts as long as the page.
    }
    this.#show();
  }

  #show(): void {
    document.documentElement.dataset.theme = this.choice;
  }
}

function stored(): Choice {
  try {
    const value = localStorage.getItem('theme') as Choice | null;
    return value && choices.includes(value) ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = new Theme();
