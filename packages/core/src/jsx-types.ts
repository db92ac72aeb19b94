/** What TypeScript knows of June's JSX. */

import type { JuneElement, JuneNode } from "./element/element.js";

/** The JSX namespace of June: components are functions, there are no built-in tags. */
export namespace JSX {
  export type ElementType = (props: any) => JuneNode | Promise<JuneNode>;
  export type Element = JuneElement;
  export interface ElementChildrenAttribute {
    children: unknown;
  }
  export interface IntrinsicAttributes {
    key?: string | number;
  }
  export interface IntrinsicElements {}
}
