// What a reload of the page keeps, until its tab is closed.

const PREFIX = 'tabiya-kept-';

/** Keeps a value, if the browser has room for it. */
export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The value lasts as long as the page.
  }
}

/** The value that was kept by a name. */
export function kept<T>(name: string): T | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + name);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
