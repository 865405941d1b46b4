/** What a tag may be given: attributes, and listeners under `onclick` and the like. */
export type Props = Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>>;
export type Child = Node | string | null;

/**
 * An element with attributes and children. A string is always text, never markup, whatever stands in it; a listener is
 * always a function. True gives an attribute without a value; false and null leave it out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (name.startsWith('on')) throw new TypeError(`${name} takes a function`);
    else if (value !== null && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** The element of the page's own markup with this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element #${id}`);
  return found;
}

/** What the page was written with. The types are those of the function that wrote it. */
export function pageData<T>(): T {
  return JSON.parse(byId('data').textContent ?? 'null') as T;
}
