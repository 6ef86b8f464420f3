/** The orders to the supervising process, with its reports. */

export type Component = 'etcd' | 'kube-apiserver';

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** The file to which both outputs are appended. */
  readonly log: string;
}

export type Order =
  | { readonly do: 'start'; readonly component: Component; readonly launch: Launch }
  /** Ends a component, and reports when it has ended. */
  | { readonly do: 'end'; readonly component: Component; readonly signal: NodeJS.Signals }
  | { readonly do: 'signal'; readonly component: Component; readonly signal: NodeJS.Signals };

export interface IntegerIdOrder {
  readonly number: number;
  readonly order: Order;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type Report =
  /** The first report: the directory exists from now on. */
  | { readonly says: 'ready'; readonly directory: string }
  /** The order was carried out; `pid` is that of the component. */
  | { readonly says: 'done'; readonly number: number; readonly pid: number | undefined }
  | { readonly says: 'failed'; readonly number: number; readonly message: string }
  | { readonly says: 'exited'; readonly component: Component; readonly exit: Exit };
