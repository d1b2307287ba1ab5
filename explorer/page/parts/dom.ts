/*
 * Creates elements. Text always stays text: this module never parses markup.
 */

export type Child = Node | string | undefined;

type Handlers = { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };

export interface Properties {
  readonly class?: string | undefined;
  readonly on?: Handlers;
  /** Attributes by name. Undefined or false leaves the attribute out. */
  readonly [attribute: string]: string | number | boolean | undefined | Handlers;
}

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "on") listen(element, value as Handlers);
    else setAttribute(element, key, value as string | number | boolean | undefined);
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function setAttribute(
  element: Element,
  name: string,
  value: string | number | boolean | undefined,
): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** An SVG element, with the attribute names of SVG. */
export function svg(
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function replace(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...children.filter((child) => child !== undefined));
}

function listen(element: HTMLElement, handlers: Handlers): void {
  for (const [name, handler] of Object.entries(handlers)) {
    element.addEventListener(name, handler as EventListener);
  }
}
