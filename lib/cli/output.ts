/** Where a command writes its results, and separately progress and warnings. */
export interface Output {
  readonly results: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly notes: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Colours and moving lines are only for terminals, unless NO_COLOR disables them (no-color.org). */
export const isColourful = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
