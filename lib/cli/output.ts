/** Where a command writes: results, and beside them progress and warnings. */
export interface Output {
  readonly results: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly notes: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Colours and moving lines are for people: on a terminal, unless NO_COLOR asks for none (no-color.org). */
export const isColourful = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
